// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
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

    /// @dev Half of the order of secp256k1: of the two signatures that are one, the one with the lower `s` is valid.
    uint256 private constant MAX_S = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    /// @dev That of where it was deployed. OpenZeppelin keeps it, too, but tells it for 60 gas more.
    bytes32 private immutable _homeSeparator;
    uint256 private immutable _homeChain;
    uint256 private immutable _homeAddress;

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
        _homeSeparator = _domainSeparatorV4();
        _homeChain = block.chainid;
        _homeAddress = uint160(address(this));
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

        bytes32 digest = _digest(user, identityHash, policyHash(msg.sender), expiration);
        if (signature.length != 65) revert InvalidSignature();
        // Read in place: slices cost more gas.
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := calldataload(signature.offset)
            s := calldataload(add(signature.offset, 0x20))
            v := byte(0, calldataload(add(signature.offset, 0x40)))
        }
        if (uint256(s) > MAX_S) revert InvalidSignature();
        address signer = ecrecover(digest, v, r, s);
        if (!_signers.contains(signer)) {
            // What cannot be recovered is the zero address, which is never on the allowlist.
            if (signer == address(0)) revert InvalidSignature();
            revert NotSigner(signer);
        }
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
        bytes4 notFoundSelector = PolicyNotFound.selector;
        // What a getter returns is `0x20 ++ encoding`, and abi.encode of the four values is
        // `chainid ++ consumer ++ offset of provider ++ offset of conditions ++ encoding ++ encoding`: the two
        // encodings are hashed as they come. Decoding them and encoding them again would give the same bytes and
        // cost thousands of gas more. Bytes that are not canonical ABI harm only the consumer that returns them.
        assembly ("memory-safe") {
            // The size of an encoding, which is to be copied before anything else is called.
            function ask(account, selector, notFound) -> size {
                mstore(0x00, selector)
                let found := staticcall(gas(), account, 0x00, 0x04, 0x00, 0x00)
                // Offset and length: the least that an encoded string or array can be.
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

    /// @dev The EIP-712 digest of a verification: `keccak256(0x1901 ++ domainSeparator ++ hashStruct(verification))`.
    function _digest(
        address user,
        bytes32 identityHash,
        bytes32 policyHash_,
        uint256 expiration
    ) private view returns (bytes32 digest) {
        bytes32 typeHash = VERIFICATION_TYPEHASH;
        // One branch for both: elsewhere are a chain that forked off, and a proxy.
        bool isHome = (block.chainid ^ _homeChain) | (uint160(address(this)) ^ _homeAddress) == 0;
        bytes32 domainSeparator = isHome ? _homeSeparator : _domainSeparatorV4();
        assembly ("memory-safe") {
            let start := mload(0x40)
            mstore(start, typeHash)
            mstore(add(start, 0x20), user)
            mstore(add(start, 0x40), identityHash)
            mstore(add(start, 0x60), policyHash_)
            mstore(add(start, 0x80), expiration)
            let structHash := keccak256(start, 0xa0)
            mstore(start, hex"1901")
            mstore(add(start, 0x02), domainSeparator)
            mstore(add(start, 0x22), structHash)
            digest := keccak256(start, 0x42)
        }
    }

    function _addSigner(address signer) private {
        if (signer == address(0)) revert ZeroSigner();
        if (!_signers.add(signer)) revert SignerAlreadyAdded(signer);
        emit SignerAdded(signer);
    }
}
