// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

import {SignerRegistry} from "../../contracts/SignerRegistry.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {Vm, vm} from "./fixtures/Vm.sol";

contract SignerRegistrySignersTest is RegistryFixture {
    function test_constructor_AddsTheSignersWithAnEventEach() public {
        address[] memory signers = new address[](2);
        (signers[0], signers[1]) = (alice, bob);
        vm.recordLogs();
        SignerRegistry fresh = new SignerRegistry(alice, signers);
        Vm.Log[] memory logs = vm.getRecordedLogs();

        vm.assertEq(abi.encode(fresh.signers()), abi.encode(signers));
        // The first event is the ownership's.
        vm.assertEq(logs.length, 3);
        for (uint256 i = 0; i < 2; ++i) {
            vm.assertTrue(fresh.isSigner(signers[i]));
            vm.assertEq(logs[i + 1].topics[0], SignerRegistry.SignerAdded.selector);
            vm.assertEq(address(uint160(uint256(logs[i + 1].topics[1]))), signers[i]);
        }
    }

    function test_constructor_TakesNoSigners() public {
        SignerRegistry fresh = new SignerRegistry(alice, new address[](0));
        vm.assertEq(fresh.signers().length, 0);
    }

    function test_constructor_RevertWhen_ASignerIsZero() public {
        address[] memory signers = new address[](2);
        signers[0] = alice;
        vm.expectRevert(abi.encodeWithSelector(SignerRegistry.ZeroSigner.selector));
        new SignerRegistry(alice, signers);
    }

    function test_constructor_RevertWhen_ASignerComesTwice() public {
        address[] memory signers = new address[](2);
        (signers[0], signers[1]) = (bob, bob);
        vm.expectRevert(abi.encodeWithSelector(SignerRegistry.SignerAlreadyAdded.selector, bob));
        new SignerRegistry(alice, signers);
    }

    function testFuzz_addSigner_PutsItOnTheAllowlist(address signer) public {
        vm.assume(signer != address(0) && signer != TestIdentity.signer());
        vm.assertFalse(registry.isSigner(signer));
        vm.expectEmit(address(registry));
        emit SignerRegistry.SignerAdded(signer);
        registry.addSigner(signer);
        vm.assertTrue(registry.isSigner(signer));
        vm.assertEq(registry.signers().length, 2);
    }

    function test_addSigner_RevertWhen_ItIsZero() public {
        vm.expectRevert(abi.encodeWithSelector(SignerRegistry.ZeroSigner.selector));
        registry.addSigner(address(0));
    }

    function test_addSigner_RevertWhen_ItIsThereAlready() public {
        vm.expectRevert(abi.encodeWithSelector(SignerRegistry.SignerAlreadyAdded.selector, TestIdentity.signer()));
        registry.addSigner(TestIdentity.signer());
    }

    function testFuzz_addSigner_RevertWhen_TheCallerIsNotTheOwner(address caller, address signer) public {
        vm.assume(caller != address(this));
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, caller));
        vm.prank(caller);
        registry.addSigner(signer);
    }

    function test_removeSigner_TakesItOffTheAllowlist() public {
        vm.expectEmit(address(registry));
        emit SignerRegistry.SignerRemoved(TestIdentity.signer());
        registry.removeSigner(TestIdentity.signer());
        vm.assertFalse(registry.isSigner(TestIdentity.signer()));
        vm.assertEq(registry.signers().length, 0);
    }

    function testFuzz_removeSigner_RevertWhen_ItIsMissing(address signer) public {
        vm.assume(signer != TestIdentity.signer());
        vm.expectRevert(abi.encodeWithSelector(SignerRegistry.SignerNotFound.selector, signer));
        registry.removeSigner(signer);
    }

    function testFuzz_removeSigner_RevertWhen_TheCallerIsNotTheOwner(address caller) public {
        vm.assume(caller != address(this));
        address signer = TestIdentity.signer();
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, caller));
        vm.prank(caller);
        registry.removeSigner(signer);
    }
}
