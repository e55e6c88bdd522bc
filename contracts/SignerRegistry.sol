// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

import {ISignerRegistry} from "./interfaces/ISignerRegistry.sol";
import {IVerifyConsumer} from "./interfaces/IVerifyConsumer.sol";

/// @title SignerRegistry
/// @notice Checks the verifications that consumers are given, against an allowlist of signers.
/// @dev Stateless apart from the allowlist and its owner: that one identity counts once is each consumer's to keep
/// (see `VerifyOnce`).
contract SignerRegistry is ISignerRegistry, EIP712, Ownable2Step {
    using EnumerableSet for EnumerableSet.AddressSet;

    bytes32 private constant VERIFICATION_TYPEHASH = keccak256(
        "Verification(address user,bytes32 identityHash,bytes32 policyHash,uint40 expiration)"
    );

    EnumerableSet.AddressSet private _signers;

    /// @notice A signer was put on the allowlist.
    event SignerAdded(address indexed signer);

    /// @notice A signer was taken off the allowlist; none of its verifications is valid any more.
    event SignerRemoved(address indexed signer);

    /// @notice The zero address cannot be a signer.
    error ZeroSigner();

    /// @notice The address is on the allowlist already.
    error SignerAlreadyAdded(address signer);

    /// @notice The address is not on the allowlist.
    error SignerNotFound(address signer);

    /// @notice The registry keeps an owner: without one, a signer whose key leaked could never be removed.
    error OwnershipCannotBeRenounced();

    /// @param owner_ Who may change the allowlist; not the zero address.
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

        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(VERIFICATION_TYPEHASH, user, identityHash, policyHash(msg.sender), expiration))
        );
        if (signature.length != 65) revert InvalidSignature();
        // Read in place: slices cost more gas, and the overload of ECDSA that takes call data is newer than OpenZeppelin 5.1.
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := calldataload(signature.offset)
            s := calldataload(add(signature.offset, 0x20))
            v := byte(0, calldataload(add(signature.offset, 0x40)))
        }
        // Refuses a high s.
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(digest, v, r, s);
        if (problem != ECDSA.RecoverError.NoError) revert InvalidSignature();
        if (!_signers.contains(signer)) revert NotSigner(signer);
    }

    /// @notice Puts a signer on the allowlist. Only for the owner.
    /// @param signer The address that signs verifications. Reverts with {ZeroSigner} or {SignerAlreadyAdded}.
    function addSigner(address signer) external onlyOwner {
        _addSigner(signer);
    }

    /// @notice Takes a signer off the allowlist; its outstanding verifications are void at once. Only for the owner.
    /// @param signer The address to remove. Reverts with {SignerNotFound}.
    function removeSigner(address signer) external onlyOwner {
        if (!_signers.remove(signer)) revert SignerNotFound(signer);
        emit SignerRemoved(signer);
    }

    /// @notice Always reverts with {OwnershipCannotBeRenounced}. To hand over, see {transferOwnership}.
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

    /// @inheritdoc ISignerRegistry
    function policyHash(address consumer) public view returns (bytes32 hash) {
        bytes4 providerSelector = IVerifyConsumer.provider.selector;
        bytes4 conditionsSelector = IVerifyConsumer.conditions.selector;
        bool found;
        // What a getter returns is `0x20 ++ encoding`, and abi.encode of the four values is
        // `chainid ++ consumer ++ offset of provider ++ offset of conditions ++ encoding ++ encoding`: the two
        // encodings are hashed as they come. Decoding them and encoding them again would give the same bytes and
        // cost thousands of gas more. Bytes that are not canonical ABI harm only the consumer that returns them.
        assembly ("memory-safe") {
            let start := mload(0x40)
            let tail := add(start, 0x80)
            mstore(start, chainid())
            mstore(add(start, 0x20), consumer)
            mstore(add(start, 0x40), 0x80)

            mstore(0x00, providerSelector)
            found := staticcall(gas(), consumer, 0x00, 0x04, 0x00, 0x00)
            // Offset and length: the least that an encoded string or array can be.
            if and(found, gt(returndatasize(), 0x3f)) {
                let size := sub(returndatasize(), 0x20)
                returndatacopy(tail, 0x20, size)
                tail := add(tail, size)
                mstore(add(start, 0x60), sub(tail, start))

                mstore(0x00, conditionsSelector)
                found := staticcall(gas(), consumer, 0x00, 0x04, 0x00, 0x00)
                if and(found, gt(returndatasize(), 0x3f)) {
                    size := sub(returndatasize(), 0x20)
                    returndatacopy(tail, 0x20, size)
                    hash := keccak256(start, sub(add(tail, size), start))
                }
            }
        }
        if (hash == 0) revert PolicyNotFound(consumer);
    }

    function _addSigner(address signer) private {
        if (signer == address(0)) revert ZeroSigner();
        if (!_signers.add(signer)) revert SignerAlreadyAdded(signer);
        emit SignerAdded(signer);
    }
}
