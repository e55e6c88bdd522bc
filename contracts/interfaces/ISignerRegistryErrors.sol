// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Why the registry refuses a verification
/// @notice The registry reverts with these errors, and a consumer passes them on. The consumer inherits them so that they
/// are in its ABI, and wallets and libraries show them by name.
interface ISignerRegistryErrors {
    /// @notice The verification has expired.
    /// @param expiration The last second, in unix time, at which it was valid.
    error VerificationExpired(uint40 expiration);

    /// @notice The caller does not answer `provider()` and `conditions()`, so there is nothing to verify against.
    /// @param consumer The address that was asked.
    error PolicyNotFound(address consumer);

    /// @notice The signature is not a canonical 65-byte ECDSA signature, so no signer can be recovered.
    error InvalidSignature();

    /// @notice The recovered signer is not on the allowlist. A verification for another user, consumer, policy, identity,
    /// expiration, chain or registry fails with this error, too.
    /// @param signer The address recovered from the signature.
    error NotSigner(address signer);
}
