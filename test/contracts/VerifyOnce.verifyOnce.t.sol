// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISignerRegistryErrors} from "../../contracts/interfaces/ISignerRegistryErrors.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../contracts/VerifyOnce.sol";
import {
    HookedOnceConsumer,
    OnceConsumer,
    PoolOnceConsumer,
    RelayedOnceConsumer,
    RoundsConsumer,
    SilentOnceConsumer
} from "./fixtures/OnceConsumers.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm, Vm} from "./fixtures/Vm.sol";

contract VerifyOnceVerifyOnceTest is RegistryFixture {
    OnceConsumer private consumer;

    function setUp() public override {
        super.setUp();
        consumer = new OnceConsumer(address(registry));
    }

    function testFuzz_verifyOnce_UsesUpTheIdentityAndNoOther(string memory name, bytes32 other) public {
        TestIdentity.Verification memory v = _mint(alice, name);
        vm.assume(other != v.identityHash);
        vm.assertFalse(consumer.identityUsed(v.identityHash));
        _claim(alice, v);
        vm.assertTrue(consumer.identityUsed(v.identityHash));
        vm.assertFalse(consumer.identityUsed(other));
        vm.assertEq(consumer.admitted(), 1);
    }

    function testFuzz_verifyOnce_RevertWhen_TheIdentityComesWithAnotherWallet(address wallet) public {
        _claim(alice, _mint(alice, "alice"));
        TestIdentity.Verification memory v = _mint(wallet, "alice");
        _expectUsed(v);
        _claim(wallet, v);
    }

    function test_verifyOnce_RevertWhen_TheIdentityComesAgainWithANewerVerification() public {
        _claim(alice, _mint(alice, "alice"));
        vm.warp(NOW + 86_400);
        TestIdentity.Verification memory v = TestIdentity.mint(address(consumer), alice, "alice", NOW + 86_700);
        _expectUsed(v);
        _claim(alice, v);
    }

    function test_verifyOnce_TakesAVerificationDecodedFromOtherData() public {
        HookedOnceConsumer hooked = new HookedOnceConsumer(address(registry));
        TestIdentity.Verification memory v = TestIdentity.mint(address(hooked), alice, "alice", EXPIRATION);
        bytes memory data = abi.encode(v.identityHash, v.expiration, v.signature);
        vm.prank(alice);
        hooked.onHook(data);
        vm.assertTrue(hooked.identityUsed(v.identityHash));
        vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
        vm.prank(alice);
        hooked.onHook(data);
    }

    function test_verifyOnce_RevertWhen_UsedBeforeAnythingElseIsLookedAt() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        _claim(alice, v);
        vm.warp(EXPIRATION + 1);
        v.signature = "";
        _expectUsed(v);
        _claim(alice, v);
    }

    function test_verifyOnce_LeavesTheIdentityUnusedWhenTheVerificationIsRefused() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        bytes memory signature = v.signature;
        v.signature = new bytes(65);
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.InvalidSignature.selector));
        _claim(alice, v);
        vm.assertFalse(consumer.identityUsed(v.identityHash));
        v.signature = signature;
        _claim(alice, v);
        vm.assertTrue(consumer.identityUsed(v.identityHash));
    }

    function test_verifyOnce_RevertWhen_UsedEvenIfTheHookReturns() public {
        SilentOnceConsumer silent = new SilentOnceConsumer(address(registry));
        TestIdentity.Verification memory v = TestIdentity.mint(address(silent), alice, "alice", EXPIRATION);
        vm.prank(alice);
        silent.claim(v.identityHash, v.expiration, v.signature);
        _expectUsed(v);
        vm.prank(alice);
        silent.claim(v.identityHash, v.expiration, v.signature);
        vm.assertEq(silent.admitted(), 1);
    }

    function test_verifyOnce_StoresWhereERC7201Says() public {
        bytes32 root =
            keccak256(abi.encode(uint256(keccak256("hardhat-identity.storage.VerifyOnce")) - 1)) &
                ~bytes32(uint256(0xff));
        TestIdentity.Verification memory v = _mint(alice, "alice");
        bytes32 slot = keccak256(abi.encode(v.identityHash, root));
        vm.assertEq(vm.load(address(consumer), slot), bytes32(0));
        _claim(alice, v);
        vm.assertEq(vm.load(address(consumer), slot), bytes32(uint256(1)));
        // The contract's own first variable, `admitted`, has slot 0 for itself.
        vm.assertEq(vm.load(address(consumer), 0), bytes32(uint256(1)));
    }

    function test_verifyOnce_EmitsRoundZeroWithoutARound() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        vm.expectEmit(address(consumer));
        emit VerifyOnce.IdentityUsed(bytes32(0), v.identityHash);
        _claim(alice, v);
    }

    function testFuzz_verifyOnce_EmitsTheRoundAndTheIdentityWithoutTheWallet(bytes32 round) public {
        RoundsConsumer rounds = new RoundsConsumer(address(registry));
        TestIdentity.Verification memory v = TestIdentity.mint(address(rounds), alice, "alice", EXPIRATION);
        vm.recordLogs();
        vm.prank(alice);
        rounds.claimIn(round, v.identityHash, v.expiration, v.signature);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        // The event of the consumer's own hook comes after it.
        vm.assertEq(logs.length, 2);
        vm.assertEq(logs[1].data, abi.encode(round, v.identityHash));
        vm.assertEq(logs[0].emitter, address(rounds));
        vm.assertEq(logs[0].topics.length, 3);
        vm.assertEq(logs[0].topics[0], keccak256("IdentityUsed(bytes32,bytes32)"));
        vm.assertEq(logs[0].topics[1], round);
        vm.assertEq(logs[0].topics[2], v.identityHash);
        vm.assertEq(logs[0].data.length, 0);
    }

    function testFuzz_verifyOnce_CountsOnceInEachRound(bytes32 round, bytes32 other) public {
        vm.assume(round != other);
        RoundsConsumer rounds = new RoundsConsumer(address(registry));
        TestIdentity.Verification memory v = TestIdentity.mint(address(rounds), alice, "alice", EXPIRATION);
        vm.prank(alice);
        rounds.claimIn(round, v.identityHash, v.expiration, v.signature);
        vm.assertTrue(rounds.identityUsed(round, v.identityHash));
        vm.assertFalse(rounds.identityUsed(other, v.identityHash));
        vm.prank(alice);
        rounds.claimIn(other, v.identityHash, v.expiration, v.signature);

        v = TestIdentity.mint(address(rounds), bob, "alice", EXPIRATION);
        _expectUsed(v);
        vm.prank(bob);
        rounds.claimIn(round, v.identityHash, v.expiration, v.signature);
        _expectUsed(v);
        vm.prank(bob);
        rounds.claimIn(other, v.identityHash, v.expiration, v.signature);
    }

    function test_verifyOnce_WithoutARoundIsRoundZero() public {
        RoundsConsumer rounds = new RoundsConsumer(address(registry));
        TestIdentity.Verification memory v = TestIdentity.mint(address(rounds), alice, "alice", EXPIRATION);
        vm.prank(alice);
        rounds.claim(v.identityHash, v.expiration, v.signature);
        vm.assertTrue(rounds.identityUsed(v.identityHash));
        vm.assertTrue(rounds.identityUsed(bytes32(0), v.identityHash));
        _expectUsed(v);
        vm.prank(alice);
        rounds.claimIn(bytes32(0), v.identityHash, v.expiration, v.signature);
    }

    function testFuzz_verifyOnce_StoresARoundInTheSecondMapping(bytes32 round) public {
        vm.assume(round != 0);
        RoundsConsumer rounds = new RoundsConsumer(address(registry));
        TestIdentity.Verification memory v = TestIdentity.mint(address(rounds), alice, "alice", EXPIRATION);
        uint256 root = 0xe760cd41377cb758da0760673689bb59a2b646d07268d70037a1ec1015a35d00;
        bytes32 slot = keccak256(abi.encode(v.identityHash, keccak256(abi.encode(round, root + 1))));
        vm.assertEq(vm.load(address(rounds), slot), bytes32(0));
        vm.prank(alice);
        rounds.claimIn(round, v.identityHash, v.expiration, v.signature);
        vm.assertEq(vm.load(address(rounds), slot), bytes32(uint256(1)));
    }

    function test_verifyOnce_TakesTheSenderThatATrustedForwarderNames() public {
        address forwarder = address(0xF0);
        RelayedOnceConsumer relayed = new RelayedOnceConsumer(address(registry), forwarder);
        TestIdentity.Verification memory v = TestIdentity.mint(address(relayed), alice, "alice", EXPIRATION);
        bytes memory call = abi.encodeCall(relayed.claim, (v.identityHash, v.expiration, v.signature));
        // From anybody else, the address at the end of the call says nothing.
        vm.prank(bob);
        (bool taken, ) = address(relayed).call(abi.encodePacked(call, alice));
        vm.assertFalse(taken);
        vm.prank(forwarder);
        (taken, ) = address(relayed).call(abi.encodePacked(call, alice));
        vm.assertTrue(taken);
        vm.assertEq(relayed.admitted(), 1);
    }

    function test_verifyOnceFor_TakesTheUserFromThePoolAndFromNobodyElse() public {
        PoolOnceConsumer hook = new PoolOnceConsumer(address(registry), address(0xF0));
        TestIdentity.Verification memory v = TestIdentity.mint(address(hook), alice, "alice", EXPIRATION);
        expectStranger(address(hook), bob, v.identityHash, v.expiration, v.signature);
        vm.prank(address(0xF0));
        hook.beforeSwap(bob, v.identityHash, v.expiration, v.signature);
        vm.expectRevert(bytes("only the pool"));
        vm.prank(alice);
        hook.beforeSwap(alice, v.identityHash, v.expiration, v.signature);
        vm.prank(address(0xF0));
        hook.beforeSwap(alice, v.identityHash, v.expiration, v.signature);
        vm.assertTrue(hook.identityUsed(v.identityHash));
    }

    function test_verifyOnceWithoutClock_ReturnsTheExpirationAndChecksEverythingElse() public {
        PoolOnceConsumer paymaster = new PoolOnceConsumer(address(registry), address(0xF0));
        TestIdentity.Verification memory v = TestIdentity.mint(address(paymaster), alice, "alice", EXPIRATION);
        vm.warp(EXPIRATION + 1);
        expectStranger(address(paymaster), bob, v.identityHash, v.expiration, v.signature);
        paymaster.validate(bob, v.identityHash, v.expiration, v.signature);
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.InvalidSignature.selector));
        paymaster.validate(alice, v.identityHash, v.expiration, new bytes(65));
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.VerificationExpired.selector, 0));
        paymaster.validate(alice, v.identityHash, 0, v.signature);
        vm.assertEq(uint256(paymaster.validate(alice, v.identityHash, v.expiration, v.signature)), EXPIRATION);
        _expectUsed(v);
        paymaster.validate(alice, v.identityHash, v.expiration, v.signature);
        address signer = registry.signers()[0];
        registry.removeSigner(signer);
        v = TestIdentity.mint(address(paymaster), bob, "bob", EXPIRATION);
        expectNotSigner(signer);
        paymaster.validate(bob, v.identityHash, v.expiration, v.signature);
    }

    function _mint(address user, string memory name) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(address(consumer), user, name, EXPIRATION);
    }

    function _claim(address user, TestIdentity.Verification memory v) private {
        vm.prank(user);
        consumer.claim(v.identityHash, v.expiration, v.signature);
    }

    function _expectUsed(TestIdentity.Verification memory v) private {
        vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
    }
}
