// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

import {ISignerRegistry, VERIFICATION_TYPEHASH} from "./interfaces/ISignerRegistry.sol";
import {IVerifyConsumer} from "./interfaces/IVerifyConsumer.sol";

/// @title SignerRegistry
/// @notice Accepts verifications that a signer on its allowlist signed. It remembers no identities: `VerifyOnce` does.
contract SignerRegistry is ISignerRegistry, EIP712, Ownable2Step {
    using EnumerableSet for EnumerableSet.AddressSet;

    /// @notice A signer was added.
    event SignerAdded(address indexed signer);

    /// @notice A signer was removed, which voids its verifications.
    event SignerRemoved(address indexed signer);

    /// @notice The zero address cannot be a signer.
    error ZeroSigner();

    /// @notice The address is already on the allowlist.
    error SignerAlreadyAdded(address signer);

    /// @notice The address is not on the allowlist.
    error SignerNotFound(address signer);

    /// @notice Without an owner, nobody could remove a signer whose key leaked.
    error OwnershipCannotBeRenounced();

    EnumerableSet.AddressSet private _signers;

    /// @param owner_ May change the allowlist; not the zero address.
    /// @param signers_ The first signers; may be empty.
    constructor(address owner_, address[] memory signers_) EIP712("SignerRegistry", "1") Ownable(owner_) {
        for (uint256 i = 0; i < signers_.length; ++i) {
            _addSigner(signers_[i]);
        }
    }

    /// @inheritdoc ISignerRegistry
    function verifyVerification(
        address user,
        bytes32 identityHash,
        uint40 expiration,
        bytes calldata signature
    ) external view {
        if (block.timestamp > expiration) revert VerificationExpired(expiration);
        bytes32 structHash = keccak256(
            abi.encode(VERIFICATION_TYPEHASH, user, identityHash, policyHash(msg.sender), expiration)
        );
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(_hashTypedDataV4(structHash), signature);
        if (problem != ECDSA.RecoverError.NoError) revert InvalidSignature();
        if (!_signers.contains(signer)) revert NotSigner(signer);
    }

    /// @inheritdoc ISignerRegistry
    function policyHash(address consumer) public view returns (bytes32 hash) {
        bytes4 providerSelector = IVerifyConsumer.provider.selector;
        bytes4 conditionsSelector = IVerifyConsumer.conditions.selector;
        bytes4 notFoundSelector = PolicyNotFound.selector;
        // A getter returns `0x20 ++ encoding`, and abi.encode of the four values is
        // `chainid ++ consumer ++ offset of provider ++ offset of conditions ++ encoding ++ encoding`: the two encodings
        // are hashed as they are returned. To decode them and encode them again would give the same bytes and cost
        // thousands of gas more. A consumer that returns bytes which are not canonical ABI harms only itself.
        assembly ("memory-safe") {
            // Calls a getter. Returns the size of its encoding, which must be copied before the next call.
            function ask(account, selector, notFound) -> size {
                mstore(0x00, selector)
                let found := staticcall(gas(), account, 0x00, 0x04, 0x00, 0x00)
                // The shortest encoding of a string or an array is an offset and a length: 64 bytes.
                if iszero(and(found, gt(returndatasize(), 0x3f))) {
                    mstore(0x00, notFound)
                    mstore(0x04, account)
                    revert(0x00, 0x24)
                }
                size := sub(returndatasize(), 0x20)
            }

            let start := mload(0x40)
            let tail := add(start, 0x80)
            mstore(start, chainid())
            mstore(add(start, 0x20), consumer)
            mstore(add(start, 0x40), 0x80)
            let providerSize := ask(consumer, providerSelector, notFoundSelector)
            returndatacopy(tail, 0x20, providerSize)
            mstore(add(start, 0x60), add(0x80, providerSize))
            let conditionsSize := ask(consumer, conditionsSelector, notFoundSelector)
            returndatacopy(add(tail, providerSize), 0x20, conditionsSize)
            hash := keccak256(start, add(add(0x80, providerSize), conditionsSize))
        }
    }

    /// @notice Adds a signer to the allowlist, or reverts with {ZeroSigner} or {SignerAlreadyAdded}.
    function addSigner(address signer) external onlyOwner {
        _addSigner(signer);
    }

    /// @notice Removes a signer, which voids its verifications at once, or reverts with {SignerNotFound}.
    function removeSigner(address signer) external onlyOwner {
        if (!_signers.remove(signer)) revert SignerNotFound(signer);
        emit SignerRemoved(signer);
    }

    /// @notice Always reverts with {OwnershipCannotBeRenounced}. To hand over, use {transferOwnership}.
    function renounceOwnership() public pure override {
        revert OwnershipCannotBeRenounced();
    }

    /// @inheritdoc ISignerRegistry
    function isSigner(address account) external view returns (bool) {
        return _signers.contains(account);
    }

    /// @inheritdoc ISignerRegistry
    function signers() external view returns (address[] memory) {
        return _signers.values();
    }

    function _addSigner(address signer) private {
        if (signer == address(0)) revert ZeroSigner();
        if (!_signers.add(signer)) revert SignerAlreadyAdded(signer);
        emit SignerAdded(signer);
    }
}
