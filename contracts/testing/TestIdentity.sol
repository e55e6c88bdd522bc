// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

import {SignerRegistry} from "../SignerRegistry.sol";
import {VERIFICATION_TYPEHASH} from "../interfaces/ISignerRegistry.sol";
import {ISignerRegistryErrors} from "../interfaces/ISignerRegistryErrors.sol";
import {IVerifyConsumer} from "../interfaces/IVerifyConsumer.sol";
import {PolicyRules, Trait} from "./PolicyRules.sol";

/// @dev The cheatcodes that are used here, as Hardhat and Foundry have them.
interface ICheatcodes {
    function addr(uint256 privateKey) external pure returns (address);

    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);

    function getBlockTimestamp() external view returns (uint256);
}

/// @title TestIdentity
/// @notice For Solidity tests, with Hardhat's runner or Foundry's: a registry, and verifications that it accepts or
/// refuses, without a service.
/// ```solidity
/// SignerRegistry registry = TestIdentity.deployRegistry();
/// IncentiveProgram program = new IncentiveProgram(address(registry));
/// TestIdentity.Verification memory v = TestIdentity.mint(address(program), alice, "alice");
/// vm.prank(alice);
/// program.enroll(v.identityHash, v.expiration, v.signature);
/// ```
/// What a consumer must refuse comes from {mintExpired}, {mintWrongSigner}, {mintOtherWallet} and {mintOtherConsumer}.
/// Fuzzed numbers become people and wallets by {person} and {wallet}:
/// ```solidity
/// function testFuzz_enroll_TakesAnybody(uint256 who, uint256 where) public {
///     address user = TestIdentity.wallet(where);
///     TestIdentity.Verification memory v = TestIdentity.mint(address(program), user, TestIdentity.person(who));
///     …
/// ```
/// @dev Nothing is minted for a policy that the service would refuse, see {InvalidPolicy}.
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

    uint256 private constant WRONG_KEY = uint256(keccak256("hardhat-identity wrong signing key"));

    bytes32 private constant DOMAIN_TYPEHASH = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );

    /// @notice The service would answer `invalid_policy`: it issues nothing for this consumer.
    /// @param problem What is wrong with the policy, in the service's words.
    error InvalidPolicy(string problem);

    /// @notice No account at the provider has such traits.
    /// @param problem What is wrong with them.
    error InvalidTraits(string problem);

    /// @notice The service would answer `conditions_not_satisfied`.
    /// @param condition The first condition that the traits do not meet, such as `followers gt 1000`.
    error ConditionsNotSatisfied(string condition);

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

    /// @notice A signer that is on no allowlist, whose verifications {mintWrongSigner} makes.
    function wrongSigner() internal pure returns (address) {
        return VM.addr(WRONG_KEY);
    }

    /// @notice A wallet for a fuzzed number: an account without code, another one for every number.
    function wallet(uint256 seed) internal pure returns (address) {
        return VM.addr(uint256(keccak256(abi.encode("hardhat-identity test wallet", seed))));
    }

    /// @notice A person for a fuzzed number: a name for {mint}, another one for every number.
    function person(uint256 seed) internal pure returns (string memory) {
        return string.concat("person ", Strings.toString(seed));
    }

    /// @notice Mints a verification that is valid for 300 seconds. What the account is like is not looked at: it meets
    /// the policy, whatever that is.
    /// @param consumer The contract that it is for. Reverts with {InvalidPolicy}, or `PolicyNotFound` where it has none.
    /// @param user The wallet that may spend it.
    /// @param identity Any name; one name is one person.
    function mint(address consumer, address user, string memory identity) internal view returns (Verification memory) {
        return mint(consumer, user, identity, uint40(VM.getBlockTimestamp() + 300));
    }

    /// @notice Mints a verification, as the other {mint}, with an expiration.
    /// @param expiration The last second, in unix time, at which it is valid.
    function mint(
        address consumer,
        address user,
        string memory identity,
        uint40 expiration
    ) internal view returns (Verification memory) {
        return _mint(SIGNING_KEY, consumer, consumer, user, identity, expiration);
    }

    /// @notice Mints a verification, as the other {mint}, for an account whose traits the policy judges as the service
    /// does. Reverts with {ConditionsNotSatisfied} where they fail it.
    /// ```solidity
    /// TestIdentity.mint(address(program), alice, "alice", TestIdentity.traits("followers", "1200"));
    /// ```
    /// @param accountTraits What the account is like, see {traits}. Reverts with {InvalidTraits} where the provider has
    /// no such trait, or its value is of another type.
    function mint(
        address consumer,
        address user,
        string memory identity,
        Trait[] memory accountTraits
    ) internal view returns (Verification memory) {
        (string memory provider, IVerifyConsumer.Condition[] memory conditions) = _demandPolicy(consumer);
        string memory problem = PolicyRules.findTraitsProblem(provider, accountTraits);
        if (bytes(problem).length > 0) revert InvalidTraits(problem);
        string memory unmet = PolicyRules.findUnmetCondition(provider, conditions, accountTraits);
        if (bytes(unmet).length > 0) revert ConditionsNotSatisfied(unmet);
        return mint(consumer, user, identity);
    }

    /// @notice Mints a verification whose lifetime ended a second ago: `VerificationExpired(expiration)`.
    function mintExpired(
        address consumer,
        address user,
        string memory identity
    ) internal view returns (Verification memory) {
        return mint(consumer, user, identity, uint40(VM.getBlockTimestamp() - 1));
    }

    /// @notice Mints a verification that {wrongSigner} signed: `NotSigner(wrongSigner)`.
    function mintWrongSigner(
        address consumer,
        address user,
        string memory identity
    ) internal view returns (Verification memory) {
        return _mint(WRONG_KEY, consumer, consumer, user, identity, uint40(VM.getBlockTimestamp() + 300));
    }

    /// @notice Mints a verification of the same person for another wallet than the user's: `NotSigner(…)` of an address
    /// that nobody knows.
    function mintOtherWallet(
        address consumer,
        address user,
        string memory identity
    ) internal view returns (Verification memory) {
        return mint(consumer, wallet(uint160(user)), identity);
    }

    /// @notice Mints a verification of the same person for another consumer with the same policy and registry:
    /// `NotSigner(…)` of an address that nobody knows.
    function mintOtherConsumer(
        address consumer,
        address user,
        string memory identity
    ) internal view returns (Verification memory) {
        address other = address(uint160(uint256(keccak256(abi.encode(consumer)))));
        return _mint(SIGNING_KEY, consumer, other, user, identity, uint40(VM.getBlockTimestamp() + 300));
    }

    /// @notice The traits of an account: names, each followed by its value.
    function traits(string memory name, string memory value) internal pure returns (Trait[] memory list) {
        list = new Trait[](1);
        list[0] = Trait(name, value);
    }

    /// @notice As before, with two traits.
    function traits(
        string memory name1,
        string memory value1,
        string memory name2,
        string memory value2
    ) internal pure returns (Trait[] memory list) {
        list = new Trait[](2);
        list[0] = Trait(name1, value1);
        list[1] = Trait(name2, value2);
    }

    /// @notice As before, with three traits; for more, fill a `Trait[]`.
    function traits(
        string memory name1,
        string memory value1,
        string memory name2,
        string memory value2,
        string memory name3,
        string memory value3
    ) internal pure returns (Trait[] memory list) {
        list = new Trait[](3);
        list[0] = Trait(name1, value1);
        list[1] = Trait(name2, value2);
        list[2] = Trait(name3, value3);
    }

    /// @notice What a signer signs: the EIP-712 digest of a verification for the registry that the consumer names.
    function verificationDigest(
        address consumer,
        address user,
        bytes32 identityHash,
        uint40 expiration
    ) internal view returns (bytes32) {
        string memory provider = IVerifyConsumer(consumer).provider();
        bytes32 policyHash = _hashPolicy(consumer, provider, IVerifyConsumer(consumer).conditions());
        return _digest(consumer, user, identityHash, policyHash, expiration);
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
        (string memory provider, IVerifyConsumer.Condition[] memory conditions) = _demandPolicy(asked);
        bytes32 policyHash = _hashPolicy(consumer, provider, conditions);
        bytes32 identityHash = keccak256(abi.encode(block.chainid, consumer, identity));
        bytes32 digest = _digest(asked, user, identityHash, policyHash, expiration);
        return Verification(identityHash, expiration, sign(privateKey, digest));
    }

    function _hashPolicy(
        address consumer,
        string memory provider,
        IVerifyConsumer.Condition[] memory conditions
    ) private view returns (bytes32) {
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

    function _demandPolicy(
        address consumer
    ) private view returns (string memory provider, IVerifyConsumer.Condition[] memory conditions) {
        bytes memory encodedProvider = _read(consumer, IVerifyConsumer.provider.selector);
        bytes memory encodedConditions = _read(consumer, IVerifyConsumer.conditions.selector);
        provider = abi.decode(encodedProvider, (string));
        conditions = abi.decode(encodedConditions, (IVerifyConsumer.Condition[]));
        string memory problem = PolicyRules.findPolicyProblem(provider, conditions);
        if (bytes(problem).length > 0) revert InvalidPolicy(problem);
        // The registry hashes the bytes as they are.
        if (
            keccak256(abi.encode(provider)) != keccak256(encodedProvider) ||
            keccak256(abi.encode(conditions)) != keccak256(encodedConditions)
        ) revert InvalidPolicy("The policy is not canonically ABI-encoded.");
    }

    function _read(address consumer, bytes4 selector) private view returns (bytes memory answer) {
        bool success;
        (success, answer) = consumer.staticcall(abi.encodeWithSelector(selector));
        if (!success || answer.length < 64) revert ISignerRegistryErrors.PolicyNotFound(consumer);
    }
}
