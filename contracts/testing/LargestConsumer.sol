// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VerifyConsumer} from "../VerifyConsumer.sol";

/// @dev The largest policy that is served, but for its names: 32 conditions with values of 256 bytes.
contract LargestConsumer is VerifyConsumer {
    constructor(address registry_) VerifyConsumer(registry_) {}

    function provider() public pure override returns (string memory) {
        return "photo_social";
    }

    function conditions() public pure override returns (Condition[] memory list) {
        list = new Condition[](32);
        for (uint256 i = 0; i < list.length; ++i) {
            bytes memory value = new bytes(256);
            for (uint256 j = 0; j < value.length; ++j) {
                value[j] = bytes1(uint8(0x61 + (i % 26)));
            }
            list[i] = Condition("username", "eq", string(value));
        }
    }
}
