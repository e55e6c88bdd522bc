// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MembershipPass} from "../../contracts/examples/MembershipPass.sol";
import {VerifiedVault} from "../../contracts/examples/VerifiedVault.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../contracts/VerifyOnce.sol";
import {CallingOnceConsumer} from "./fixtures/OnceConsumers.sol";
import {CallingToken, Reentrant} from "./fixtures/Reentrant.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

contract VerifyOnceReentrancyTest is RegistryFixture {
    Reentrant private wallet;

    function setUp() public override {
        super.setUp();
        wallet = new Reentrant();
    }

    function test_verifyOnce_IsUsedUpWhenTheConsumerCallsOut() public {
        CallingOnceConsumer consumer = new CallingOnceConsumer(address(registry));
        TestIdentity.Verification memory v = _mint(address(consumer), "alice");
        // Re-enters before the check, so that the outer call is the one that comes second.
        wallet.plan(address(consumer), abi.encodeCall(consumer.claim, (v.identityHash, v.expiration, v.signature)));
        (bool ok, bytes memory reason) = wallet.run(
            address(consumer),
            abi.encodeCall(consumer.claimAndCall, (v.identityHash, v.expiration, v.signature))
        );
        vm.assertFalse(ok);
        _isUsed(reason, v);
        vm.assertEq(consumer.admitted(), 0);
        vm.assertFalse(consumer.identityUsed(v.identityHash));
    }

    function test_mint_GivesOneTokenToAReceiverThatMintsAgain() public {
        MembershipPass pass = new MembershipPass(address(registry));
        TestIdentity.Verification memory v = _mint(address(pass), "alice");
        bytes memory mint = abi.encodeCall(pass.mint, (v.identityHash, v.expiration, v.signature));
        wallet.plan(address(pass), mint);
        (bool ok, ) = wallet.run(address(pass), mint);

        vm.assertTrue(ok);
        vm.assertEq(wallet.calls(), 1);
        _isUsed(wallet.lastReason(), v);
        vm.assertEq(pass.balanceOf(address(wallet)), 1);
    }

    function test_deposit_OpensOnePositionForADepositorThatDepositsAgain() public {
        (VerifiedVault vault, CallingToken token) = _vault();
        TestIdentity.Verification memory v = _mint(address(vault), "alice");
        bytes memory deposit = abi.encodeCall(vault.deposit, (40, v.identityHash, v.expiration, v.signature));
        wallet.plan(address(vault), deposit);
        (bool ok, ) = wallet.run(address(vault), deposit);

        vm.assertTrue(ok);
        _isUsed(wallet.lastReason(), v);
        vm.assertEq(vault.balanceOf(address(wallet)), 40);
        vm.assertEq(token.balanceOf(address(vault)), 1040);
    }

    function test_deposit_CountsNothingBeforeItCameIn() public {
        (VerifiedVault vault, ) = _vault();
        TestIdentity.Verification memory v = _mint(address(vault), "alice");
        wallet.plan(address(vault), abi.encodeCall(vault.withdraw, (40)));
        (bool ok, ) = wallet.run(
            address(vault),
            abi.encodeCall(vault.deposit, (40, v.identityHash, v.expiration, v.signature))
        );
        vm.assertTrue(ok);
        vm.assertEq(wallet.calls(), 1);
        vm.assertEq(wallet.lastReason(), abi.encodeWithSelector(VerifiedVault.InsufficientBalance.selector, 0, 40));
    }

    function test_withdraw_PaysOnceToAReceiverThatWithdrawsAgain() public {
        (VerifiedVault vault, CallingToken token) = _vault();
        TestIdentity.Verification memory v = _mint(address(vault), "alice");
        wallet.run(address(vault), abi.encodeCall(vault.deposit, (40, v.identityHash, v.expiration, v.signature)));
        bytes memory withdraw = abi.encodeCall(vault.withdraw, (40));
        wallet.plan(address(vault), withdraw);
        (bool ok, ) = wallet.run(address(vault), withdraw);

        vm.assertTrue(ok);
        vm.assertEq(wallet.calls(), 1);
        vm.assertEq(wallet.lastReason(), abi.encodeWithSelector(VerifiedVault.InsufficientBalance.selector, 0, 40));
        vm.assertEq(token.balanceOf(address(wallet)), 100);
        vm.assertEq(token.balanceOf(address(vault)), 1000);
    }

    /// @dev A vault with 1000 of somebody else, and a wallet with 100 that it may take.
    function _vault() private returns (VerifiedVault vault, CallingToken token) {
        token = new CallingToken();
        vault = new VerifiedVault(address(registry), token);
        token.mint(address(vault), 1000);
        token.mint(address(wallet), 100);
        wallet.run(address(token), abi.encodeCall(token.approve, (address(vault), 100)));
    }

    function _mint(address consumer, string memory name) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(consumer, address(wallet), name, EXPIRATION);
    }

    function _isUsed(bytes memory reason, TestIdentity.Verification memory v) private pure {
        vm.assertEq(reason, abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
    }
}
