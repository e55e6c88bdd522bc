// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyOnce} from "@hardhat-identity/contracts/VerifyOnce.sol";

/// @notice Everybody with more than 1000 followers may claim, once per person.
contract Airdrop is VerifyOnce {
    mapping(address wallet => uint256) public claimed;

    constructor(address registry_) VerifyOnce(registry_) {}

    function claim(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        claimed[msg.sender] = 100;
    }

    function provider() external pure override returns (string memory) {
        return "microblog"; // X, formerly Twitter
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers", "gt", "1000");
    }
}
