// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyOnce} from "../VerifyOnce.sol";

/// @title Ballot
/// @notice Example of a vote: any number of proposals, yes or no, and one vote on each per person, not per wallet.
/// @dev Voters must have proven their account since the ballot opened, see `cutoffBlock()`; not for Arbitrum, where
/// `block.number` is the L1's.
contract Ballot is VerifyOnce {
    uint256 private immutable _openedAt = block.number;

    /// @notice How many proposals there are. They are numbered from 0, and the first opens with the ballot.
    uint256 public proposals = 1;

    /// @notice How many people voted yes on a proposal.
    mapping(uint256 proposal => uint256) public yes;

    /// @notice How many people voted no on a proposal.
    mapping(uint256 proposal => uint256) public no;

    /// @notice A proposal opened.
    event Proposed(uint256 indexed proposal, string question);

    /// @notice A person voted.
    event Voted(uint256 indexed proposal, bytes32 indexed identityHash, bool support);

    /// @notice The proposal does not exist.
    error ProposalNotFound(uint256 proposal);

    /// @notice The person has voted on this proposal already, from this or another wallet.
    error AlreadyVoted();

    constructor(address registry_) VerifyOnce(registry_) {}

    /// @notice Opens a proposal; anybody may.
    /// @param question The question that voters answer.
    /// @return proposal Its number.
    function propose(string calldata question) external returns (uint256 proposal) {
        proposal = proposals;
        ++proposals;
        emit Proposed(proposal, question);
    }

    /// @notice Casts the caller's vote on a proposal.
    /// @param proposal The proposal's number. Reverts with {ProposalNotFound}.
    /// @param support Yes or no.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    function vote(
        uint256 proposal,
        bool support,
        bytes32 identityHash,
        uint40 expiration,
        bytes calldata signature
    ) external {
        // Without this check, a voter could choose the round, and vote in any number of them.
        if (proposal >= proposals) revert ProposalNotFound(proposal);
        _verifyOnce(bytes32(proposal), identityHash, expiration, signature);
        if (support) ++yes[proposal];
        else ++no[proposal];
        emit Voted(proposal, identityHash, support);
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
