// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Why the registry refuses a verification
/// @notice Inherited by the registry, which reverts with these errors, and by consumers, which pass them on: with them in
/// the consumer's own ABI, wallets and libraries show them by name.
interface ISignerRegistryErrors {
    /// @notice The verification's lifetime is over.
    /// @param expiration The last second, in unix time, at which it was valid.
    error VerificationExpired(uint40 expiration);

    /// @notice No signer can be recovered: the signature is not a canonical 65-byte ECDSA signature.
    error InvalidSignature();

    /// @notice The recovered signer is not on the allowlist. This is also what a verification shows that was
    /// made for another user, consumer, policy, identity, expiration or chain.
    /// @param signer The address recovered from the signature.
    error NotSigner(address signer);

    /// @notice The caller does not answer `provider()` and `conditions()`, so there is nothing to verify against.
    /// @param consumer The address that was asked.
    error PolicyNotFound(address consumer);
}
