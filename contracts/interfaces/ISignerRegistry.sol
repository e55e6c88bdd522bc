// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";

import {ISignerRegistryErrors} from "./ISignerRegistryErrors.sol";

/// @title The registry that checks verifications
/// @notice Holds the allowlist of signers and, for a calling consumer, tells whether a verification is valid.
/// @dev A registry is known by its EIP-712 domain, which `eip712Domain()` tells (EIP-5267): name `SignerRegistry`, version
/// `1`, the chain's id, the registry's own address, no salt and no extensions. `VerifyConsumer` takes no other contract.
interface ISignerRegistry is IERC5267, ISignerRegistryErrors {
    /// @notice Reverts unless the verification is valid for the calling consumer. To be called by the consumer itself.
    /// @dev Checked in this order, each with its error: {VerificationExpired}, {PolicyNotFound}, {InvalidSignature},
    /// {NotSigner}. The signature is over EIP-712 data of type
    /// `Verification(address user,bytes32 identityHash,bytes32 policyHash,uint40 expiration)`, where `policyHash`
    /// is that of `msg.sender`, see {policyHash}. Nothing is stored: it is valid any number of times until it expires.
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
    /// @dev Chain id and address prevent that a verification for one consumer is replayed at another with the same
    /// policy, or at the same address on another chain. `cutoffBlock()` is not part of it.
    /// @param consumer The contract whose `provider()` and `conditions()` are read.
    /// @return The hash. Reverts with {PolicyNotFound} where the contract has no policy.
    function policyHash(address consumer) external view returns (bytes32);

    /// @notice Whether an address is on the allowlist.
    /// @param account The address to look up.
    function isSigner(address account) external view returns (bool);

    /// @notice The allowlist, in no particular order.
    function signers() external view returns (address[] memory);
}
