// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VerifyConsumer} from "../VerifyConsumer.sol";

/// @dev The least that a consumer is: what `enroll` costs in the gas snapshot.
abstract contract MinimalConsumer is VerifyConsumer {
    mapping(bytes32 identityHash => bool) public enrolled;

    error AlreadyEnrolled();

    constructor(address registry_) VerifyConsumer(registry_) {}

    function enroll(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        if (enrolled[identityHash]) revert AlreadyEnrolled();
        _verify(identityHash, expiration, signature);
        enrolled[identityHash] = true;
    }

    function provider() public pure override returns (string memory) {
        return "microblog";
    }
}

/// @dev A policy of one condition.
contract MinimalConsumer1 is MinimalConsumer {
    constructor(address registry_) MinimalConsumer(registry_) {}

    function conditions() public pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers", "gt", "1000");
    }
}

/// @dev A policy of two conditions.
contract MinimalConsumer2 is MinimalConsumer {
    constructor(address registry_) MinimalConsumer(registry_) {}

    function conditions() public pure override returns (Condition[] memory list) {
        list = new Condition[](2);
        list[0] = Condition("followers", "gt", "1000");
        list[1] = Condition("verified", "eq", "true");
    }
}

/// @dev A policy of four conditions.
contract MinimalConsumer4 is MinimalConsumer {
    constructor(address registry_) MinimalConsumer(registry_) {}

    function conditions() public pure override returns (Condition[] memory list) {
        list = new Condition[](4);
        list[0] = Condition("followers", "gt", "1000");
        list[1] = Condition("followers", "lt", "1000000");
        list[2] = Condition("verified", "eq", "true");
        list[3] = Condition("verified_type", "eq", "blue");
    }
}
