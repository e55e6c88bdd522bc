// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyOnce} from "@hardhat-identity/contracts/VerifyOnce.sol";

/// @notice Everybody with at least 100 followers may deposit ether, once per person, and withdraw it.
contract Vault is VerifyOnce {
    mapping(address wallet => uint256) public balances;

    constructor(address registry_) VerifyOnce(registry_) {}

    function deposit(bytes32 identityHash, uint40 expiration, bytes calldata signature) external payable {
        _verifyOnce(identityHash, expiration, signature);
        balances[msg.sender] += msg.value;
    }

    function withdraw() external {
        uint256 amount = balances[msg.sender];
        balances[msg.sender] = 0;
        (bool sent, ) = msg.sender.call{value: amount}("");
        require(sent, "the wallet takes no ether");
    }

    function provider() external pure override returns (string memory) {
        return "photo_social";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers_count", "gte", "100");
    }
}
