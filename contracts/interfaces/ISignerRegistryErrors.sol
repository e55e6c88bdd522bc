// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title Why the registry refuses a verification
/// @notice A consumer passes on these errors. They are in its ABI, so wallets show them by name.
interface ISignerRegistryErrors {
    /// @notice The verification has expired.
    /// @param expiration The last second, in unix time, at which it was valid.
    error VerificationExpired(uint40 expiration);

    /// @notice The caller does not answer `provider()` and `conditions()`.
    /// @param consumer The address that was asked.
    error PolicyNotFound(address consumer);

    /// @notice The signature is not a canonical 65-byte ECDSA signature.
    error InvalidSignature();

    /// @notice The recovered signer is not on the allowlist. This also happens if the verification is for another user,
    /// consumer, policy, identity, expiration, chain or registry.
    /// @param signer The address recovered from the signature.
    error NotSigner(address signer);
}
