// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

import {ExampleToken} from "../../../contracts/examples/ExampleToken.sol";
import {VerifiedVault} from "../../../contracts/examples/VerifiedVault.sol";
import {TestIdentity} from "../../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../../contracts/VerifyOnce.sol";
import {RegistryFixture} from "../fixtures/RegistryFixture.sol";
import {vm} from "../fixtures/Vm.sol";

/// @dev Once told to, answers false and moves nothing, where others revert.
contract RefusingToken is ExampleToken {
    bool private _refuses;

    function refuse() external {
        _refuses = true;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        return !_refuses && super.transfer(to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        return !_refuses && super.transferFrom(from, to, amount);
    }
}

contract VerifiedVaultTest is RegistryFixture {
    VerifiedVault private vault;
    RefusingToken private token;

    function setUp() public override {
        super.setUp();
        token = new RefusingToken();
        vault = new VerifiedVault(address(registry), token);
        token.mint(alice, 100);
        vm.prank(alice);
        token.approve(address(vault), 100);
    }

    function test_deposit_OpensAPositionAndTakesTheTokens() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        vm.expectEmit(address(vault));
        emit VerifiedVault.PositionOpened(alice, v.identityHash);
        vm.expectEmit(address(vault));
        emit VerifiedVault.Deposited(alice, 40);
        _deposit(alice, 40, v);
        vm.assertTrue(vault.hasPosition(alice));
        vm.assertEq(vault.balanceOf(alice), 40);
        vm.assertEq(token.balanceOf(address(vault)), 40);
        vm.assertEq(token.balanceOf(alice), 60);
    }

    function test_deposit_RevertWhen_ThePersonHasAPositionAlready() public {
        _deposit(alice, 40, _mint(alice, "alice"));
        TestIdentity.Verification memory v = _mint(alice, "alice");
        _expectUsed(v);
        _deposit(alice, 40, v);
        v = _mint(bob, "alice");
        _expectUsed(v);
        _deposit(bob, 40, v);
    }

    function test_deposit_RevertWhen_EverythingWasWithdrawnBefore() public {
        _deposit(alice, 40, _mint(alice, "alice"));
        vm.prank(alice);
        vault.withdraw(40);
        TestIdentity.Verification memory v = _mint(bob, "alice");
        _expectUsed(v);
        _deposit(bob, 40, v);
    }

    function test_deposit_LeavesTheIdentityUnusedWhenTheTokensDoNotCome() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(vault), 100, 101)
        );
        _deposit(alice, 101, v);
        vm.assertFalse(vault.identityUsed(v.identityHash));
        vm.assertFalse(vault.hasPosition(alice));
        _deposit(alice, 100, v);
    }

    function test_deposit_RevertWhen_TheTokenAnswersFalse() public {
        token.refuse();
        TestIdentity.Verification memory v = _mint(alice, "alice");
        _expectFailedTransfer();
        _deposit(alice, 40, v);
        vm.assertFalse(vault.identityUsed(v.identityHash));
        vm.assertEq(vault.balanceOf(alice), 0);
    }

    function test_withdraw_RevertWhen_TheTokenAnswersFalse() public {
        _deposit(alice, 40, _mint(alice, "alice"));
        token.refuse();
        _expectFailedTransfer();
        vm.prank(alice);
        vault.withdraw(40);
        vm.assertEq(vault.balanceOf(alice), 40);
    }

    function test_depositMore_AddsToThePositionWithoutAnotherVerification() public {
        _deposit(alice, 40, _mint(alice, "alice"));
        vm.warp(EXPIRATION + 1);
        // The position stays open when it is empty.
        vm.prank(alice);
        vault.withdraw(40);
        vm.expectEmit(address(vault));
        emit VerifiedVault.Deposited(alice, 20);
        vm.prank(alice);
        vault.depositMore(20);
        vm.prank(alice);
        vault.depositMore(40);
        vm.assertEq(vault.balanceOf(alice), 60);
    }

    function test_depositMore_RevertWhen_TheWalletHasNoPosition() public {
        vm.expectRevert(abi.encodeWithSelector(VerifiedVault.NoPosition.selector, alice));
        vm.prank(alice);
        vault.depositMore(1);
    }

    function testFuzz_withdraw_PaysBackUpToTheBalance(uint256 amount) public {
        _deposit(alice, 40, _mint(alice, "alice"));
        amount %= 42;
        if (amount > 40) {
            vm.expectRevert(abi.encodeWithSelector(VerifiedVault.InsufficientBalance.selector, 40, amount));
        } else {
            vm.expectEmit(address(vault));
            emit VerifiedVault.Withdrawn(alice, amount);
        }
        vm.prank(alice);
        vault.withdraw(amount);
        if (amount <= 40) {
            vm.assertEq(vault.balanceOf(alice), 40 - amount);
            vm.assertEq(token.balanceOf(alice), 60 + amount);
        }
    }

    function test_withdraw_RevertWhen_TheWalletIsAnother() public {
        _deposit(alice, 40, _mint(alice, "alice"));
        vm.expectRevert(abi.encodeWithSelector(VerifiedVault.InsufficientBalance.selector, 0, 1));
        vm.prank(bob);
        vault.withdraw(1);
    }

    function _mint(address user, string memory name) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(address(vault), user, name, EXPIRATION);
    }

    function _deposit(address user, uint256 amount, TestIdentity.Verification memory v) private {
        vm.prank(user);
        vault.deposit(amount, v.identityHash, v.expiration, v.signature);
    }

    function _expectFailedTransfer() private {
        vm.expectRevert(abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, address(token)));
    }

    function _expectUsed(TestIdentity.Verification memory v) private {
        vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
    }
}
