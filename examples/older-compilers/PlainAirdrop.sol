// SPDX-License-Identifier: MIT
pragma solidity >=0.5.0 <0.9.0;
pragma experimental ABIEncoderV2;

interface ISignerRegistry {
    function verifyVerification(
        address user,
        bytes32 identityHash,
        uint40 expiration,
        bytes calldata signature
    ) external view;
}

contract PlainAirdrop {
    struct Condition {
        string name;
        string op;
        string value;
    }

    ISignerRegistry public registry;
    mapping(bytes32 => bool) public used;

    constructor(ISignerRegistry registry_) public {
        registry = registry_;
    }

    function claim(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        require(!used[identityHash], "used");
        registry.verifyVerification(msg.sender, identityHash, expiration, signature);
        used[identityHash] = true;
    }

    function provider() external pure returns (string memory) {
        return "microblog";
    }

    function conditions() external pure returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers", "gt", "1000");
    }
}
