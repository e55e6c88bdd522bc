// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Foundry and Hardhat run functions whose name begins with "test".
// solhint-disable func-name-mixedcase

import {SignerRegistry} from "../SignerRegistry.sol";
import {IVerifyConsumer} from "../interfaces/IVerifyConsumer.sol";
import {TestIdentity} from "./TestIdentity.sol";

/// @dev The cheatcodes that the inherited tests use, as Hardhat and Foundry have them.
interface ITestCheatcodes {
    function deal(address account, uint256 balance) external;
    function etch(address account, bytes calldata code) external;
    function startPrank(address sender) external;
    function stopPrank() external;
    function getBlockTimestamp() external view returns (uint256);
    function warp(uint256 timestamp) external;
    function snapshotState() external returns (uint256 id);
    function revertToState(uint256 id) external returns (bool success);
    function toString(bytes calldata value) external pure returns (string memory);
    function toString(uint256 value) external pure returns (string memory);
}

/// @title VerifyConsumerTest
/// @notice Tests of a consumer that you inherit, in Hardhat or Foundry: it must refuse every invalid verification. Write
/// `setUp()`, {consumer} and {claim}. If a person counts once, inherit `VerifyOnceTest` instead.
/// @dev Each test tries a claim that must be refused, and then, in the same state, a valid one. If that one is refused, too,
/// the first refusal proves nothing, and the test fails with "Not tried". If a test does not apply, override it with an empty
/// function.
abstract contract VerifyConsumerTest {
    ITestCheatcodes internal constant CHEATS = ITestCheatcodes(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev The order of secp256k1.
    uint256 private constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    /// @dev Wallets without code.
    address internal immutable phone = TestIdentity.wallet(1);
    address internal immutable laptop = TestIdentity.wallet(2);

    /// @dev Returns the consumer, which is the proxy if it has one.
    function consumer() internal view virtual returns (address);

    /// @dev Claims with a verification, as an app does, or reverts if the claim is refused. The user makes every call in it,
    /// and has 100 ether. Whatever can be used up once, such as a name, must be another for each claim.
    function claim(TestIdentity.Verification memory v, address user) internal virtual;

    function test_claim_RefusesAForgedSignature() public virtual {
        TestIdentity.Verification memory valid = mint(phone, "alice");
        TestIdentity.Verification memory forged = TestIdentity.mintWrongSigner(consumer(), phone, "alice");
        expectRefusal("a verification that a stranger signed", forged, phone, valid, phone);

        valid = mint(laptop, "bob");
        (bytes32 r, uint256 s, uint8 v) = _split(valid.signature);
        forged = TestIdentity.Verification(valid.identityHash, valid.expiration, "");
        forged.signature = abi.encodePacked(r, ORDER - s, 55 - v);
        expectNoClaim("a signature's second form", forged, laptop);
        forged.signature = abi.encodePacked(r, s | (uint256(v - 27) << 255));
        expectNoClaim("a signature's compact form", forged, laptop);
        forged.signature = "";
        expectRefusal("a verification without a signature", forged, laptop, valid, laptop);
    }

    function test_claim_RefusesARemovedSigner() public virtual {
        TestIdentity.Verification memory signed = mint(phone, "alice");
        TestIdentity.Verification memory valid = TestIdentity.mintWrongSigner(consumer(), phone, "alice");
        SignerRegistry registry = SignerRegistry(address(IVerifyConsumer(consumer()).registry()));
        CHEATS.startPrank(registry.owner());
        registry.addSigner(TestIdentity.wrongSigner());
        registry.removeSigner(TestIdentity.signer());
        CHEATS.stopPrank();
        expectRefusal("a verification of a removed signer", signed, phone, valid, phone);
    }

    function test_claim_RefusesAnExpiredVerification() public virtual {
        // The clock of a test may begin at 1, and the expiration 0 is refused as none.
        CHEATS.warp(CHEATS.getBlockTimestamp() + 2);
        TestIdentity.Verification memory expired = TestIdentity.mintExpired(consumer(), phone, "alice");
        expectRefusal("an expired verification", expired, phone, mint(phone, "alice"), phone);
    }

    function test_claim_RefusesAVerificationForAnotherUser() public virtual {
        TestIdentity.Verification memory other = mint(phone, "alice");
        expectRefusal("a verification for another user", other, laptop, mint(laptop, "alice"), laptop);
    }

    function test_claim_RefusesAVerificationForAnotherConsumer() public virtual {
        TestIdentity.Verification memory other = TestIdentity.mintOtherConsumer(consumer(), phone, "alice");
        expectRefusal("a verification for another consumer", other, phone, mint(phone, "alice"), phone);
    }

    /// @dev Mints a valid verification.
    function mint(address user, string memory identity) internal view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(consumer(), user, identity);
    }

    /// @dev Fails unless a claim is refused and then, in the same state, another one is admitted.
    function expectRefusal(
        string memory what,
        TestIdentity.Verification memory refused,
        address user,
        TestIdentity.Verification memory valid,
        address validUser
    ) internal {
        expectNoClaim(what, refused, user);
        (bool admitted, bytes memory refusal) = tryClaim(valid, validUser);
        string memory why = ": a valid claim in the same state is refused, too: ";
        if (!admitted) revert(string.concat("Not tried with ", what, why, CHEATS.toString(refusal)));
    }

    /// @dev Fails if a claim is admitted.
    function expectNoClaim(string memory what, TestIdentity.Verification memory v, address user) internal {
        (bool admitted, ) = tryClaim(v, user);
        if (admitted) revert(string.concat("The consumer admits ", what, "."));
    }

    /// @dev Claims, and returns whether it succeeded.
    function tryClaim(
        TestIdentity.Verification memory v,
        address user
    ) internal returns (bool admitted, bytes memory refusal) {
        CHEATS.deal(user, 100 ether);
        try this.claimAs(v, user) {
            admitted = true;
        } catch (bytes memory reason) {
            refusal = reason;
        }
    }

    /// @dev External, so that a refusal can be caught. Not for use elsewhere.
    function claimAs(TestIdentity.Verification calldata v, address user) external {
        // A refused claim has left its prank behind.
        CHEATS.stopPrank();
        CHEATS.startPrank(user);
        claim(v, user);
        CHEATS.stopPrank();
    }

    function _split(bytes memory signature) private pure returns (bytes32 r, uint256 s, uint8 v) {
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
    }
}
