// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VerifyOnce} from "../VerifyOnce.sol";

/// @title Ballot
/// @notice Example of a vote: one question, yes or no, and one vote per person, not per wallet.
/// @dev Voters must have proven their account since the ballot opened, see `cutoffBlock()`.
contract Ballot is VerifyOnce {
    uint256 private immutable _openedAt = block.number;

    /// @notice How many people voted yes.
    uint256 public yes;

    /// @notice How many people voted no.
    uint256 public no;

    /// @notice A person voted.
    event Voted(bytes32 indexed identityHash, bool support);

    /// @notice The person has voted already, from this or another wallet.
    error AlreadyVoted();

    constructor(address registry_) VerifyOnce(registry_) {}

    /// @notice Casts the caller's vote.
    /// @param support Yes or no.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    function vote(bool support, bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        if (support) ++yes;
        else ++no;
        emit Voted(identityHash, support);
    }

    function provider() external pure override returns (string memory) {
        return "short_video";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](2);
        list[0] = Condition("follower_count", "gte", "100");
        list[1] = Condition("video_count", "gt", "0");
    }

    function cutoffBlock() external view override returns (uint256) {
        return _openedAt;
    }

    function _revertIdentityUsed(bytes32) internal pure override {
        revert AlreadyVoted();
    }
}
