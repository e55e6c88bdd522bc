// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SignerRegistry} from "../SignerRegistry.sol";
import {IVerifyConsumer} from "../interfaces/IVerifyConsumer.sol";

/// @dev The cheatcodes that are used here, as Hardhat and Foundry have them.
interface ICheatcodes {
    function addr(uint256 privateKey) external pure returns (address);

    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
}

/// @title TestIdentity
/// @notice For Solidity tests: a registry, and verifications that it accepts, without a service.
/// ```solidity
/// SignerRegistry registry = TestIdentity.deployRegistry();
/// IncentiveProgram program = new IncentiveProgram(address(registry));
/// TestIdentity.Verification memory v = TestIdentity.mint(address(program), alice, "alice");
/// vm.prank(alice);
/// program.enroll(v.identityHash, v.expiration, v.signature);
/// ```
library TestIdentity {
    /// @notice What a consumer's entry point takes.
    struct Verification {
        bytes32 identityHash;
        uint40 expiration;
        bytes signature;
    }

    ICheatcodes private constant VM = ICheatcodes(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev The development signer's: everybody knows it, so it must sign nowhere but in tests.
    uint256 private constant SIGNING_KEY = uint256(keccak256("hardhat-identity development signing key"));

    bytes32 private constant VERIFICATION_TYPEHASH = keccak256(
        "Verification(address user,bytes32 identityHash,bytes32 policyHash,uint40 expiration)"
    );

    bytes32 private constant DOMAIN_TYPEHASH = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );

    /// @notice Deploys a registry that the calling contract owns and that trusts {signer}.
    function deployRegistry() internal returns (SignerRegistry) {
        address[] memory signers = new address[](1);
        signers[0] = signer();
        return new SignerRegistry(address(this), signers);
    }

    /// @notice The development signer, whose verifications {mint} makes.
    function signer() internal pure returns (address) {
        return VM.addr(SIGNING_KEY);
    }

    /// @notice Mints a verification that is valid for 300 seconds. Conditions are not looked at.
    /// @param consumer The contract that it is for.
    /// @param user The wallet that may spend it.
    /// @param identity Any name; one name is one person.
    function mint(address consumer, address user, string memory identity) internal view returns (Verification memory) {
        return mint(consumer, user, identity, uint40(block.timestamp + 300));
    }

    /// @notice Mints a verification.
    /// @param consumer The contract that it is for.
    /// @param user The wallet that may spend it.
    /// @param identity Any name; one name is one person.
    /// @param expiration The last second, in unix time, at which it is valid.
    function mint(
        address consumer,
        address user,
        string memory identity,
        uint40 expiration
    ) internal view returns (Verification memory) {
        bytes32 identityHash = keccak256(abi.encode(block.chainid, consumer, identity));
        bytes32 digest = verificationDigest(consumer, user, identityHash, expiration);
        return Verification(identityHash, expiration, sign(SIGNING_KEY, digest));
    }

    /// @notice What a signer signs: the EIP-712 digest of a verification for the registry that the consumer names.
    function verificationDigest(
        address consumer,
        address user,
        bytes32 identityHash,
        uint40 expiration
    ) internal view returns (bytes32) {
        address registry = address(IVerifyConsumer(consumer).registry());
        bytes32 policyHash = keccak256(
            abi.encode(
                block.chainid,
                consumer,
                IVerifyConsumer(consumer).provider(),
                IVerifyConsumer(consumer).conditions()
            )
        );
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256("SignerRegistry"), keccak256("1"), block.chainid, registry)
        );
        bytes32 verification = keccak256(abi.encode(VERIFICATION_TYPEHASH, user, identityHash, policyHash, expiration));
        return keccak256(abi.encodePacked(hex"1901", domain, verification));
    }

    /// @notice Signs a digest: 65 bytes, `r`, low `s`, `v` of 27 or 28.
    function sign(uint256 privateKey, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = VM.sign(privateKey, digest);
        return abi.encodePacked(r, s, v);
    }
}
