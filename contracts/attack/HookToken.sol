// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title HookToken
/// @notice The token of consumers that `identity attack` deploys. It calls both ends of a transfer, as ERC-777
/// tokens do, and a balance is votes at any time.
contract HookToken is ERC20 {
    mapping(address => uint256) private _pastVotes;

    constructor() ERC20("Hook Token", "HOOK") {}

    /// @notice Mints tokens; anybody may.
    function mint(address to, uint256 amount) external {
        _pastVotes[to] += amount;
        _mint(to, amount);
    }

    /// @notice Answers the votes of an account, as {IVotes} does: a transfer moves no votes of the past.
    function getPastVotes(address account, uint256) external view returns (uint256) {
        return _pastVotes[account];
    }

    /// @notice Answers all votes, as {IVotes} does.
    function getPastTotalSupply(uint256) external view returns (uint256) {
        return totalSupply();
    }

    function _update(address from, address to, uint256 value) internal override {
        _tell(from, msg.sender, from, to, value);
        super._update(from, to, value);
        _tell(to, msg.sender, from, to, value);
    }

    function _tell(address told, address operator, address from, address to, uint256 value) private {
        if (told.code.length == 0) return;
        // Not every contract knows the hook.
        bytes4 hook = bytes4(keccak256("tokensReceived(address,address,address,uint256,bytes,bytes)"));
        (bool answered, ) = told.call(abi.encodeWithSelector(hook, operator, from, to, value, "", ""));
        answered;
    }
}
