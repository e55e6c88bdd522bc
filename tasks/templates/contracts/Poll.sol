// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyOnce} from "@hardhat-identity/contracts/VerifyOnce.sol";

/// @notice Everybody with at least 100 followers has a vote on each proposal, one per person.
contract Poll is VerifyOnce {
    /// @notice How many proposals there are, numbered from 0.
    uint256 public constant PROPOSALS = 3;

    mapping(uint256 proposal => uint256) public yes;
    mapping(uint256 proposal => uint256) public no;

    error ProposalNotFound(uint256 proposal);

    constructor(address registry_) VerifyOnce(registry_) {}

    function vote(
        uint256 proposal,
        bool support,
        bytes32 identityHash,
        uint40 expiration,
        bytes calldata signature
    ) external {
        // The proposal is the round: voters must not make one up.
        if (proposal >= PROPOSALS) revert ProposalNotFound(proposal);
        _verifyOnce(bytes32(proposal), identityHash, expiration, signature);
        if (support) ++yes[proposal];
        else ++no[proposal];
    }

    function provider() external pure override returns (string memory) {
        return "short_video";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("follower_count", "gte", "100");
    }
}
