// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VerifyOnce} from "@hardhat-identity/contracts/VerifyOnce.sol";

/// @notice Everybody with at least 100 followers has a vote, one per person.
contract Poll is VerifyOnce {
    uint256 public yes;
    uint256 public no;

    constructor(address registry_) VerifyOnce(registry_) {}

    function vote(bool support, bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        if (support) ++yes;
        else ++no;
    }

    function provider() external pure override returns (string memory) {
        return "short_video";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("follower_count", "gte", "100");
    }
}
