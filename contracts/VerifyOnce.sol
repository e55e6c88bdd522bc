// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VerifyConsumer} from "./VerifyConsumer.sol";

/// @title VerifyOnce
/// @notice Base of a contract at which one identity counts once. Call `_verifyOnce` in the entry point.
/// @dev Keeps the used identities in namespaced storage (ERC-7201), so it can stand behind a proxy and be added in an
/// upgrade.
abstract contract VerifyOnce is VerifyConsumer {
    /// @notice The identity has been used at this contract before, by any wallet.
    error IdentityAlreadyUsed(bytes32 identityHash);

    /// @custom:storage-location erc7201:hardhat-identity.storage.VerifyOnce
    struct VerifyOnceStorage {
        mapping(bytes32 identityHash => bool) used;
    }

    // keccak256(abi.encode(uint256(keccak256("hardhat-identity.storage.VerifyOnce")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant VERIFY_ONCE_STORAGE = 0xe760cd41377cb758da0760673689bb59a2b646d07268d70037a1ec1015a35d00;

    /// @dev See the constructor of {VerifyConsumer}.
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address registry_) VerifyConsumer(registry_) {}

    /// @dev Refuses a used identity, verifies as {_verify} does, and marks the identity as used, in this order. Nothing can
    /// re-enter in between and change state: the only call is the static one to the registry.
    function _verifyOnce(bytes32 identityHash, uint40 expiration, bytes calldata signature) internal {
        VerifyOnceStorage storage $ = _verifyOnceStorage();
        bool used = $.used[identityHash];
        if (used) _revertIdentityUsed(identityHash);
        // An overridden hook that returns must not admit anyone.
        if (used) revert IdentityAlreadyUsed(identityHash);
        _verify(identityHash, expiration, signature);
        $.used[identityHash] = true;
    }

    /// @notice Whether an identity has been used at this contract.
    function identityUsed(bytes32 identityHash) public view returns (bool) {
        return _verifyOnceStorage().used[identityHash];
    }

    /// @dev Override this to revert with an error of your own for a used identity.
    function _revertIdentityUsed(bytes32 identityHash) internal view virtual {
        revert IdentityAlreadyUsed(identityHash);
    }

    function _verifyOnceStorage() private pure returns (VerifyOnceStorage storage $) {
        assembly ("memory-safe") {
            $.slot := VERIFY_ONCE_STORAGE
        }
    }
}
