// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISignerRegistryErrors} from "../../contracts/interfaces/ISignerRegistryErrors.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {VerifyConsumer} from "../../contracts/VerifyConsumer.sol";
import {ExternalGate} from "../fixtures/contracts/Gates.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

/// @dev Calls a consumer for whoever calls it.
contract Forwarder {
    function enter(ExternalGate consumer, TestIdentity.Verification calldata v) external {
        consumer.enter(v.identityHash, v.expiration, v.signature);
    }
}

contract VerifyConsumerTest is RegistryFixture {
    ExternalGate private consumer;
    TestIdentity.Verification private verification;

    function setUp() public override {
        super.setUp();
        consumer = new ExternalGate(address(registry));
        verification = TestIdentity.mint(address(consumer), alice, "alice", EXPIRATION);
    }

    function test_constructor_RevertWhen_TheRegistryIsZero() public {
        vm.expectRevert(abi.encodeWithSelector(VerifyConsumer.InvalidRegistry.selector, address(0)));
        new ExternalGate(address(0));
    }

    function testFuzz_constructor_RevertWhen_TheRegistryHasNoCode(address account) public {
        vm.assume(account.code.length == 0);
        vm.expectRevert(abi.encodeWithSelector(VerifyConsumer.InvalidRegistry.selector, account));
        new ExternalGate(account);
    }

    function test_registry_IsTheOneOfTheConstructor() public view {
        vm.assertEq(address(consumer.registry()), address(registry));
    }

    function test_cutoffBlock_IsZeroUnlessOverridden() public view {
        vm.assertEq(consumer.cutoffBlock(), 0);
    }

    function test_verify_AdmitsTheUser() public {
        vm.prank(alice);
        _enter();
        vm.assertEq(consumer.admitted(), 1);
    }

    function test_verify_AdmitsTheUserAgainForItRemembersNobody() public {
        vm.prank(alice);
        _enter();
        vm.prank(alice);
        _enter();
        vm.assertEq(consumer.admitted(), 2);
    }

    function testFuzz_verify_RevertWhen_AnotherWalletCalls(address thief) public {
        vm.assume(thief != alice);
        expectStranger(
            address(consumer),
            thief,
            verification.identityHash,
            verification.expiration,
            verification.signature
        );
        vm.prank(thief);
        _enter();
    }

    function test_verify_RevertWhen_TheUserCallsThroughAnotherContract() public {
        Forwarder forwarder = new Forwarder();
        expectStranger(
            address(consumer),
            address(forwarder),
            verification.identityHash,
            verification.expiration,
            verification.signature
        );
        vm.prank(alice, alice);
        forwarder.enter(consumer, verification);
    }

    function test_verify_AdmitsAContractThatIsTheUser() public {
        Forwarder wallet = new Forwarder();
        wallet.enter(consumer, TestIdentity.mint(address(consumer), address(wallet), "alice", EXPIRATION));
        vm.assertEq(consumer.admitted(), 1);
    }

    function test_verify_RevertWhen_ItExpired() public {
        vm.warp(EXPIRATION + 1);
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.VerificationExpired.selector, EXPIRATION));
        vm.prank(alice);
        _enter();
    }

    function test_verify_RevertWhen_TheSignatureIsInvalid() public {
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.InvalidSignature.selector));
        vm.prank(alice);
        consumer.enter(verification.identityHash, EXPIRATION, "");
    }

    function test_verify_RevertWhen_TheSignerWasRemoved() public {
        registry.removeSigner(TestIdentity.signer());
        expectNotSigner(TestIdentity.signer());
        vm.prank(alice);
        _enter();
    }

    // The struct is copied from storage after the cheatcodes, and reading storage is no call: they still hold.
    function _enter() private {
        consumer.enter(verification.identityHash, verification.expiration, verification.signature);
    }
}
