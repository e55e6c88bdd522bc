// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title ExampleToken
/// @notice A token to fill `VerifiedVault` with. Worthless: anyone may mint any amount.
contract ExampleToken is ERC20 {
    constructor() ERC20("Example Token", "EXAMPLE") {}

    /// @notice Mints tokens.
    /// @param to The receiver.
    /// @param amount How much; the token has 18 decimals.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
