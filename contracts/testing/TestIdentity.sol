// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

import {SignerRegistry} from "../SignerRegistry.sol";
import {VERIFICATION_TYPEHASH} from "../interfaces/ISignerRegistry.sol";
import {ISignerRegistryErrors} from "../interfaces/ISignerRegistryErrors.sol";
import {IVerifyConsumer} from "../interfaces/IVerifyConsumer.sol";

/// @dev The cheatcodes that are used here, as Hardhat and Foundry have them.
interface ICheatcodes {
    function addr(uint256 privateKey) external pure returns (address);

    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);

    function getBlockTimestamp() external view returns (uint256);
}

/// @title TestIdentity
/// @notice A registry and verifications for Solidity tests, in Hardhat or Foundry.
/// ```solidity
/// SignerRegistry registry = TestIdentity.deployRegistry();
/// Airdrop airdrop = new Airdrop(address(registry));
/// TestIdentity.Verification memory v = TestIdentity.mint(address(airdrop), alice, "alice");
/// vm.prank(alice);
/// airdrop.claim(v.identityHash, v.expiration, v.signature);
/// ```
library TestIdentity {
    /// @notice The arguments of an entry point.
    struct Verification {
        bytes32 identityHash;
        uint40 expiration;
        bytes signature;
    }

    ICheatcodes private constant VM = ICheatcodes(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev The development signer's: everybody knows it, so it must sign nowhere but in tests.
    uint256 private constant SIGNING_KEY = uint256(keccak256("hardhat-identity development signing key"));

    uint256 private constant WRONG_KEY = uint256(keccak256("hardhat-identity wrong signing key"));

    bytes32 private constant DOMAIN_TYPEHASH = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );

    /// @notice Deploys a registry that the test owns and that trusts {signer}.
    function deployRegistry() internal returns (SignerRegistry) {
        address[] memory signers = new address[](1);
        signers[0] = signer();
        return new SignerRegistry(address(this), signers);
    }

    /// @notice The signer of {mint}.
    function signer() internal pure returns (address) {
        return VM.addr(SIGNING_KEY);
    }

    /// @notice The signer of {mintWrongSigner}, on no allowlist.
    function wrongSigner() internal pure returns (address) {
        return VM.addr(WRONG_KEY);
    }

    /// @notice A wallet without code for a fuzzed number.
    function wallet(uint256 seed) internal pure returns (address) {
        return VM.addr(uint256(keccak256(abi.encode("hardhat-identity test wallet", seed))));
    }

    /// @notice A person's name for a fuzzed number.
    function person(uint256 seed) internal pure returns (string memory) {
        return string.concat("person ", Strings.toString(seed));
    }

    /// @notice Mints a verification valid for 300 seconds, whatever the policy asks.
    /// @param consumer The contract that it is for. Reverts with {PolicyNotFound} if it has no policy.
    /// @param user The wallet that may spend it.
    /// @param identity Any name; one name is one person.
    function mint(address consumer, address user, string memory identity) internal view returns (Verification memory) {
        return mint(consumer, user, identity, uint40(VM.getBlockTimestamp() + 300));
    }

    /// @param expiration The last valid second, in unix time.
    function mint(
        address consumer,
        address user,
        string memory identity,
        uint40 expiration
    ) internal view returns (Verification memory) {
        return _mint(SIGNING_KEY, consumer, consumer, user, identity, expiration);
    }

    /// @notice Mints an expired verification: `VerificationExpired(expiration)`.
    function mintExpired(
        address consumer,
        address user,
        string memory identity
    ) internal view returns (Verification memory) {
        return mint(consumer, user, identity, uint40(VM.getBlockTimestamp() - 1));
    }

    /// @notice Mints a verification by {wrongSigner}: `NotSigner(wrongSigner)`.
    function mintWrongSigner(
        address consumer,
        address user,
        string memory identity
    ) internal view returns (Verification memory) {
        return _mint(WRONG_KEY, consumer, consumer, user, identity, uint40(VM.getBlockTimestamp() + 300));
    }

    /// @notice Mints a verification for another wallet: `NotSigner(…)` of an unknown address.
    function mintOtherWallet(
        address consumer,
        address user,
        string memory identity
    ) internal view returns (Verification memory) {
        return mint(consumer, wallet(uint160(user)), identity);
    }

    /// @notice Mints a verification for another consumer of the same policy: `NotSigner(…)` of an unknown address.
    function mintOtherConsumer(
        address consumer,
        address user,
        string memory identity
    ) internal view returns (Verification memory) {
        address other = address(uint160(uint256(keccak256(abi.encode(consumer)))));
        return _mint(SIGNING_KEY, consumer, other, user, identity, uint40(VM.getBlockTimestamp() + 300));
    }

    /// @notice The EIP-712 digest of a verification for the consumer's registry, for {sign}.
    function verificationDigest(
        address consumer,
        address user,
        bytes32 identityHash,
        uint40 expiration
    ) internal view returns (bytes32) {
        return _digest(consumer, user, identityHash, _hashPolicy(consumer, consumer), expiration);
    }

    /// @notice Signs a digest: 65 bytes, `r`, low `s`, `v` of 27 or 28.
    function sign(uint256 privateKey, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = VM.sign(privateKey, digest);
        return abi.encodePacked(r, s, v);
    }

    /// @dev For a consumer of the same policy and registry as the one that is asked.
    function _mint(
        uint256 privateKey,
        address asked,
        address consumer,
        address user,
        string memory identity,
        uint40 expiration
    ) private view returns (Verification memory) {
        bytes32 policyHash = _hashPolicy(asked, consumer);
        bytes32 identityHash = keccak256(abi.encode(block.chainid, consumer, identity));
        bytes32 digest = _digest(asked, user, identityHash, policyHash, expiration);
        return Verification(identityHash, expiration, sign(privateKey, digest));
    }

    function _hashPolicy(address asked, address consumer) private view returns (bytes32) {
        string memory provider = abi.decode(_read(asked, IVerifyConsumer.provider.selector), (string));
        IVerifyConsumer.Condition[] memory conditions = abi.decode(
            _read(asked, IVerifyConsumer.conditions.selector),
            (IVerifyConsumer.Condition[])
        );
        return keccak256(abi.encode(block.chainid, consumer, provider, conditions));
    }

    function _digest(
        address asked,
        address user,
        bytes32 identityHash,
        bytes32 policyHash,
        uint40 expiration
    ) private view returns (bytes32) {
        address registry = address(IVerifyConsumer(asked).registry());
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256("SignerRegistry"), keccak256("1"), block.chainid, registry)
        );
        bytes32 verification = keccak256(abi.encode(VERIFICATION_TYPEHASH, user, identityHash, policyHash, expiration));
        return MessageHashUtils.toTypedDataHash(domain, verification);
    }

    function _read(address consumer, bytes4 selector) private view returns (bytes memory answer) {
        bool success;
        (success, answer) = consumer.staticcall(abi.encodeWithSelector(selector));
        if (!success || answer.length < 64) revert ISignerRegistryErrors.PolicyNotFound(consumer);
    }
}
