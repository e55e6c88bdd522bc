// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

import {ISignerRegistry, VERIFICATION_TYPEHASH} from "./interfaces/ISignerRegistry.sol";
import {ISignerRegistryErrors} from "./interfaces/ISignerRegistryErrors.sol";
import {IVerifyConsumer} from "./interfaces/IVerifyConsumer.sol";

/// @title VerifyConsumer
/// @notice Base of a contract that admits only wallets with a verification. Declare `provider()` and `conditions()`, and
/// call `_verify`. To count each identity once, extend `VerifyOnce` instead.
/// @dev Has no storage, so it can stand behind a proxy, which is then the consumer.
abstract contract VerifyConsumer is IVerifyConsumer, ISignerRegistryErrors {
    /// @notice The address does not answer as a registry, as {ISignerRegistry} defines it.
    error InvalidRegistry(address registry);

    /// @dev In the code, not in storage: a proxy runs the implementation's code, so it has this registry without an
    /// initializer, and nobody can change it short of an upgrade.
    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable
    ISignerRegistry private immutable _registry;

    /// @param registry_ The deployed registry. Reverts with {InvalidRegistry} if it does not answer as one. Check the address:
    /// a contract that imitates a registry can admit anyone.
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address registry_) {
        if (!_isRegistry(registry_)) revert InvalidRegistry(registry_);
        _registry = ISignerRegistry(registry_);
    }

    /// @dev Reverts with an error of {ISignerRegistryErrors} unless the verification is valid for the caller at this
    /// contract, so nobody can front-run it.
    /// @param identityHash The same for every wallet of one person.
    /// @param expiration The last valid second, in unix time.
    /// @param signature 65 bytes, as the signer service returned them.
    function _verify(bytes32 identityHash, uint40 expiration, bytes memory signature) internal view {
        _verifyFor(_verificationUser(), identityHash, expiration, signature);
    }

    /// @dev Verifies a user who is not the caller, such as the swapper behind a pool's hook. Anyone who sees the verification
    /// can spend it for that user, with arguments of their own. So admit only a caller that you trust, take the user from
    /// that caller, and let every gain go to the user.
    function _verifyFor(address user, bytes32 identityHash, uint40 expiration, bytes memory signature) internal view {
        _registry.verifyVerification(user, identityHash, expiration, signature);
    }

    /// @dev Verifies a user as {_verifyFor} does, but leaves the expiration to you, because ERC-7562 forbids reading the
    /// clock in ERC-4337 validation. Pack the result as `validUntil`: otherwise you accept expired verifications. The entity
    /// must be staked, because the allowlist is the registry's storage (STO-033).
    /// @return validUntil The last valid second, in unix time; never zero, which ERC-4337 takes for "always".
    function _verifyWithoutClock(
        address user,
        bytes32 identityHash,
        uint40 expiration,
        bytes memory signature
    ) internal view returns (uint40 validUntil) {
        if (expiration == 0) revert VerificationExpired(expiration);
        bytes32 policyHash = _registry.policyHash(address(this));
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("SignerRegistry"),
                keccak256("1"),
                block.chainid,
                address(_registry)
            )
        );
        bytes32 verification = keccak256(abi.encode(VERIFICATION_TYPEHASH, user, identityHash, policyHash, expiration));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, verification));
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(digest, signature);
        if (problem != ECDSA.RecoverError.NoError) revert InvalidSignature();
        if (!_registry.isSigner(signer)) revert NotSigner(signer);
        return expiration;
    }

    // Not `_msgSender`, which a contract with both `Context` and `ContextUpgradeable` would have to override three times.
    /// @dev Returns the wallet that must hold the verification. Behind an ERC-2771 forwarder, override this to return
    /// OpenZeppelin's `_msgSender()`.
    function _verificationUser() internal view virtual returns (address) {
        return msg.sender;
    }

    /// @inheritdoc IVerifyConsumer
    function registry() public view returns (ISignerRegistry) {
        return _registry;
    }

    /// @inheritdoc IVerifyConsumer
    function cutoffBlock() external view virtual returns (uint256) {
        return 0;
    }

    /// @dev A registry refuses by reverting. A contract that accepts every call in silence, as many wallets do, would admit
    /// everybody, so the EIP-712 domain must match byte for byte.
    function _isRegistry(address account) private view returns (bool) {
        // 0x0f: name, version, chain id and address; no salt, no extensions (EIP-5267).
        bytes memory domain = abi.encode(
            bytes1(0x0f),
            "SignerRegistry",
            "1",
            block.chainid,
            account,
            bytes32(0),
            new uint256[](0)
        );
        // The gas limit also bounds the answer: memory for a megabyte costs its sender 2,000,000 gas.
        bytes memory question = abi.encodeCall(IERC5267.eip712Domain, ());
        (bool answered, bytes memory answer) = account.staticcall{gas: 100_000}(question);
        return answered && keccak256(answer) == keccak256(domain);
    }
}
