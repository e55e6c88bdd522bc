// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";

import {ISignerRegistryErrors} from "./ISignerRegistryErrors.sol";

/// @dev The EIP-712 type of what a signer signs.
bytes32 constant VERIFICATION_TYPEHASH = keccak256(
    "Verification(address user,bytes32 identityHash,bytes32 policyHash,uint40 expiration)"
);

/// @title The registry that checks verifications
/// @notice Keeps the allowlist of signers, and checks for a consumer whether a verification is valid.
/// @dev A registry is known by its EIP-712 domain, which `eip712Domain()` returns (EIP-5267): name `SignerRegistry`, version
/// `1`, the chain's id, the registry's own address, no salt and no extensions. `VerifyConsumer` accepts no other contract.
interface ISignerRegistry is IERC5267, ISignerRegistryErrors {
    /// @notice Reverts unless the verification is valid for the caller. The consumer itself must call this.
    /// @dev Checks in this order, each with its error: {VerificationExpired}, {PolicyNotFound}, {InvalidSignature},
    /// {NotSigner}. The signer signs this EIP-712 digest:
    /// `keccak256(0x1901 ++ domainSeparator ++ keccak256(abi.encode(VERIFICATION_TYPEHASH, user, identityHash,
    /// policyHash(msg.sender), expiration)))`.
    /// So a verification cannot be replayed by another wallet (`user`), at another consumer or under another policy
    /// (`policyHash`), on another chain (both hashes) or at another registry (`domainSeparator`). The registry does not
    /// remember it: the same wallet can use it again at the same consumer until it expires.
    /// @param user The wallet that the verification was issued to.
    /// @param identityHash The identity, as this consumer knows it.
    /// @param expiration The last second, in unix time, at which the verification is valid.
    /// @param signature The signer's signature: 65 bytes, `r`, `s` in the lower half of the order, `v` 27 or 28.
    function verifyVerification(
        address user,
        bytes32 identityHash,
        uint40 expiration,
        bytes calldata signature
    ) external view;

    /// @notice The hash that binds a verification to one consumer's policy on this chain:
    /// `keccak256(abi.encode(block.chainid, consumer, provider, conditions))`.
    /// @dev The address prevents a replay at another consumer with the same policy, the chain id a replay at the same
    /// address on another chain. `cutoffBlock()` is not part of the hash.
    /// @param consumer The contract whose `provider()` and `conditions()` are read.
    /// @return The hash. Reverts with {PolicyNotFound} if the contract has no policy.
    function policyHash(address consumer) external view returns (bytes32);

    /// @notice Whether an address is on the allowlist.
    /// @param account The address to look up.
    function isSigner(address account) external view returns (bool);

    /// @notice The allowlist, in no particular order.
    function signers() external view returns (address[] memory);
}
