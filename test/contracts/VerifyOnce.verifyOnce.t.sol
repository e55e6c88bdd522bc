// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISignerRegistryErrors} from "../../contracts/interfaces/ISignerRegistryErrors.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../contracts/VerifyOnce.sol";
import {OnceConsumer, SilentOnceConsumer} from "./fixtures/OnceConsumers.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

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

    function test_verifyOnce_RevertWhen_TheSameVerificationComesAgain() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        _claim(alice, v);
        _expectUsed(v);
        _claim(alice, v);
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

    function test_verifyOnce_AdmitsEveryPerson() public {
        _claim(alice, _mint(alice, "alice"));
        _claim(bob, _mint(bob, "bob"));
        vm.assertEq(consumer.admitted(), 2);
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

    function test_verifyOnce_KeepsIdentitiesApartBetweenConsumers() public {
        OnceConsumer another = new OnceConsumer(address(registry));
        _claim(alice, _mint(alice, "alice"));
        TestIdentity.Verification memory v = TestIdentity.mint(address(another), alice, "alice", EXPIRATION);
        vm.prank(alice);
        another.claim(v.identityHash, v.expiration, v.signature);
        vm.assertEq(another.admitted(), 1);
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
