// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyOnce} from "@hardhat-identity/contracts/VerifyOnce.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @notice A token for every member, one per person.
contract Pass is ERC721, VerifyOnce {
    uint256 public minted;

    constructor(address registry_) ERC721("Pass", "PASS") VerifyOnce(registry_) {}

    function mint(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        _safeMint(msg.sender, ++minted);
    }

    function provider() external pure override returns (string memory) {
        return "exchange";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("exchange_membership_active", "eq", "true");
    }
}
