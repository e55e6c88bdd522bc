// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

import {VerifyOnce} from "../VerifyOnce.sol";

/// @title VerifiedVault
/// @notice Example of a deposit: one position per person. The first deposit takes a verification and opens the
/// position for the calling wallet; that wallet may deposit more, and withdraw, without another one.
/// @dev A position stays with its wallet, and the identity stays used when all is withdrawn. The token must
/// transfer the exact amount, without a fee.
contract VerifiedVault is VerifyOnce {
    using SafeERC20 for IERC20;

    /// @notice The ERC-20 token that the vault keeps.
    IERC20 public immutable token;

    /// @notice Whether a wallet has a position.
    mapping(address wallet => bool) public hasPosition;

    /// @notice A wallet's balance in the vault, in the token's smallest unit.
    mapping(address wallet => uint256) public balanceOf;

    /// @notice A person opened a position.
    event PositionOpened(address indexed wallet, bytes32 indexed identityHash);

    /// @notice Tokens came in.
    event Deposited(address indexed wallet, uint256 amount);

    /// @notice Tokens went out.
    event Withdrawn(address indexed wallet, uint256 amount);

    /// @notice The wallet has no position to add to.
    error NoPosition(address wallet);

    /// @notice The wallet has less in the vault than it asks for.
    error InsufficientBalance(uint256 balance, uint256 amount);

    constructor(address registry_, IERC20 token_) VerifyOnce(registry_) {
        token = token_;
    }

    /// @notice Opens the caller's position with a first deposit; needs an allowance for the vault.
    /// @param amount How much, in the token's smallest unit.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    function deposit(uint256 amount, bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        hasPosition[msg.sender] = true;
        emit PositionOpened(msg.sender, identityHash);
        _deposit(amount);
    }

    /// @notice Adds to the caller's position; needs an allowance for the vault.
    /// @param amount How much, in the token's smallest unit. Reverts with {NoPosition}.
    function depositMore(uint256 amount) external {
        if (!hasPosition[msg.sender]) revert NoPosition(msg.sender);
        _deposit(amount);
    }

    /// @notice Pays out to the caller.
    /// @param amount How much, in the token's smallest unit. Reverts with {InsufficientBalance}.
    function withdraw(uint256 amount) external {
        uint256 balance = balanceOf[msg.sender];
        if (amount > balance) revert InsufficientBalance(balance, amount);
        balanceOf[msg.sender] = balance - amount;
        emit Withdrawn(msg.sender, amount);
        token.safeTransfer(msg.sender, amount);
    }

    function provider() external pure override returns (string memory) {
        return "photo_social";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers_count", "gte", "100");
    }

    function _deposit(uint256 amount) private {
        // Counted after it came in: a token that calls its sender back finds nothing to withdraw yet.
        token.safeTransferFrom(msg.sender, address(this), amount);
        balanceOf[msg.sender] += amount;
        emit Deposited(msg.sender, amount);
    }
}
