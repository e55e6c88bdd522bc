// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";

import {ISignerRegistryErrors} from "./ISignerRegistryErrors.sol";

/// @dev The EIP-712 type of what a signer signs.
bytes32 constant VERIFICATION_TYPEHASH = keccak256(
    "Verification(address user,bytes32 identityHash,bytes32 policyHash,uint40 expiration)"
);

/// @title The registry that checks verifications
/// @dev A registry is known by its EIP-712 domain, which `eip712Domain()` returns (EIP-5267): name `SignerRegistry`, version
/// `1`, the chain's id, the registry's own address, no salt and no extensions. `VerifyConsumer` accepts no other contract.
interface ISignerRegistry is IERC5267, ISignerRegistryErrors {
    /// @notice Reverts unless the verification is valid for the caller. The consumer itself must call this.
    /// @dev Checks in this order: {VerificationExpired}, {PolicyNotFound}, {InvalidSignature}, {NotSigner}. The signer signs
    /// this EIP-712 digest:
    /// `keccak256(0x1901 ++ domainSeparator ++ keccak256(abi.encode(VERIFICATION_TYPEHASH, user, identityHash,
    /// policyHash(msg.sender), expiration)))`.
    /// So a verification cannot be replayed by another wallet (`user`), at another consumer or under another policy
    /// (`policyHash`), on another chain (both hashes) or at another registry (`domainSeparator`). The same wallet can use it
    /// again at the same consumer until it expires.
    /// @param user The wallet that it was issued to.
    /// @param expiration The last valid second, in unix time.
    /// @param signature 65 bytes: `r`, `s` in the lower half of the order, `v` 27 or 28.
    function verifyVerification(
        address user,
        bytes32 identityHash,
        uint40 expiration,
        bytes calldata signature
    ) external view;

    /// @notice Binds a verification to a consumer's policy on this chain:
    /// `keccak256(abi.encode(block.chainid, consumer, provider, conditions))`. Reverts with {PolicyNotFound} if the contract
    /// has no policy.
    function policyHash(address consumer) external view returns (bytes32);

    /// @notice Whether an address is on the allowlist.
    function isSigner(address account) external view returns (bool);

    /// @notice The allowlist, in no particular order.
    function signers() external view returns (address[] memory);
}
