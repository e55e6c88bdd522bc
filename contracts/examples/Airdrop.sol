// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

import {VerifyOnce} from "../VerifyOnce.sol";

/// @title Airdrop
/// @notice Example of a claim: everyone with more than 1000 followers gets 100 test tokens, once per person.
contract Airdrop is ERC20, VerifyOnce {
    /// @notice The tokens that a claim pays; the token has 18 decimals.
    uint256 public constant AMOUNT = 100e18;

    constructor(address registry_) ERC20("Test Token", "TEST") VerifyOnce(registry_) {}

    /// @notice Pays the caller.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    function claim(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        _mint(msg.sender, AMOUNT);
    }

    function provider() external pure override returns (string memory) {
        return "microblog";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers", "gt", "1000");
    }
}
