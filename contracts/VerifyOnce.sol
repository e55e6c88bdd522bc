// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyConsumer} from "./VerifyConsumer.sol";

/// @title VerifyOnce
/// @notice Base of a contract at which one identity counts once, or once in each round. Call `_verifyOnce` in the entry point.
/// @dev Keeps the used identities in namespaced storage (ERC-7201), so it can stand behind a proxy and be added in an
/// upgrade.
abstract contract VerifyOnce is VerifyConsumer {
    /// @notice An identity was counted. It names no wallet.
    /// @param round The round in which the identity was counted; zero if the contract has no rounds.
    /// @param identityHash The verification's identity.
    event IdentityUsed(bytes32 indexed round, bytes32 indexed identityHash);

    /// @notice The identity has been used before, by any wallet: at this contract or, if it has rounds, in this round.
    error IdentityAlreadyUsed(bytes32 identityHash);

    /// @custom:storage-location erc7201:hardhat-identity.storage.VerifyOnce
    struct VerifyOnceStorage {
        mapping(bytes32 identityHash => bool) used;
        mapping(bytes32 round => mapping(bytes32 identityHash => bool)) usedInRound;
    }

    // keccak256(abi.encode(uint256(keccak256("hardhat-identity.storage.VerifyOnce")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant VERIFY_ONCE_STORAGE = 0xe760cd41377cb758da0760673689bb59a2b646d07268d70037a1ec1015a35d00;

    /// @dev See the constructor of {VerifyConsumer}.
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address registry_) VerifyConsumer(registry_) {}

    /// @dev Counts an identity once at this contract, which is round zero.
    function _verifyOnce(bytes32 identityHash, uint40 expiration, bytes memory signature) internal {
        _verifyOnce(bytes32(0), identityHash, expiration, signature);
    }

    /// @dev Counts an identity once in a round. Refuses a used identity, verifies as {_verify} does, and marks the identity
    /// as used, in this order. Nothing can re-enter in between and change state: the only call is the static one to the
    /// registry.
    /// @param round Any value that the contract decides on, such as a proposal's number or `bytes32(block.timestamp / 1 days)`.
    /// A caller who may choose it freely counts any number of times.
    function _verifyOnce(bytes32 round, bytes32 identityHash, uint40 expiration, bytes memory signature) internal {
        _verifyOnceFor(_verificationUser(), round, identityHash, expiration, signature);
    }

    /// @dev Counts an identity once in a round, for a user who is not the caller. Admit only trusted callers: see
    /// {_verifyFor}.
    function _verifyOnceFor(
        address user,
        bytes32 round,
        bytes32 identityHash,
        uint40 expiration,
        bytes memory signature
    ) internal {
        _refuseUsed(round, identityHash);
        _verifyFor(user, identityHash, expiration, signature);
        _markUsed(round, identityHash);
    }

    /// @dev Counts an identity once in a round, and returns the expiration instead of reading the clock. Pack it as
    /// `validUntil`: see {_verifyWithoutClock}.
    function _verifyOnceWithoutClock(
        address user,
        bytes32 round,
        bytes32 identityHash,
        uint40 expiration,
        bytes memory signature
    ) internal returns (uint40 validUntil) {
        _refuseUsed(round, identityHash);
        validUntil = _verifyWithoutClock(user, identityHash, expiration, signature);
        _markUsed(round, identityHash);
    }

    /// @notice Whether an identity has been used at this contract, outside of its rounds.
    function identityUsed(bytes32 identityHash) public view returns (bool) {
        return identityUsed(bytes32(0), identityHash);
    }

    /// @notice Whether an identity has been used in a round. Round zero is the contract itself.
    function identityUsed(bytes32 round, bytes32 identityHash) public view returns (bool) {
        mapping(bytes32 identityHash => bool) storage used = _identities(round);
        return used[identityHash];
    }

    /// @dev Override this to revert with an error of your own for a used identity.
    function _revertIdentityUsed(bytes32 identityHash) internal view virtual {
        revert IdentityAlreadyUsed(identityHash);
    }

    /// @dev Override this to refuse a verified identity for a reason of your own, by reverting. It runs after the identity is
    /// marked as used, so a call from here cannot use it again.
    function _afterIdentityUsed(bytes32 round, bytes32 identityHash) internal virtual {}

    function _refuseUsed(bytes32 round, bytes32 identityHash) private view {
        bool alreadyUsed = identityUsed(round, identityHash);
        if (alreadyUsed) _revertIdentityUsed(identityHash);
        // An overridden hook that returns must not admit anyone.
        if (alreadyUsed) revert IdentityAlreadyUsed(identityHash);
    }

    function _markUsed(bytes32 round, bytes32 identityHash) private {
        mapping(bytes32 identityHash => bool) storage used = _identities(round);
        used[identityHash] = true;
        emit IdentityUsed(round, identityHash);
        _afterIdentityUsed(round, identityHash);
    }

    function _identities(bytes32 round) private view returns (mapping(bytes32 identityHash => bool) storage) {
        VerifyOnceStorage storage $ = _verifyOnceStorage();
        return round == 0 ? $.used : $.usedInRound[round];
    }

    function _verifyOnceStorage() private pure returns (VerifyOnceStorage storage $) {
        assembly ("memory-safe") {
            $.slot := VERIFY_ONCE_STORAGE
        }
    }
}
