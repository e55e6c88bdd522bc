// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

import {SignerRegistry} from "../../contracts/SignerRegistry.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

contract SignerRegistryOwnershipTest is RegistryFixture {
    function test_constructor_MakesTheNamedAddressTheOwner() public {
        vm.assertEq(new SignerRegistry(alice, new address[](0)).owner(), alice);
    }

    function test_constructor_RevertWhen_TheOwnerIsZero() public {
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableInvalidOwner.selector, address(0)));
        new SignerRegistry(address(0), new address[](0));
    }

    function testFuzz_transferOwnership_ChangesNothingUntilItIsAccepted(address next) public {
        vm.assume(next != address(this));
        vm.expectEmit(address(registry));
        emit Ownable2Step.OwnershipTransferStarted(address(this), next);
        registry.transferOwnership(next);
        vm.assertEq(registry.owner(), address(this));
        vm.assertEq(registry.pendingOwner(), next);
        registry.addSigner(alice);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, next));
        vm.prank(next);
        registry.addSigner(bob);
    }

    function test_acceptOwnership_MovesTheRightToChangeTheAllowlist() public {
        registry.transferOwnership(alice);
        vm.expectEmit(address(registry));
        emit Ownable.OwnershipTransferred(address(this), alice);
        vm.prank(alice);
        registry.acceptOwnership();
        vm.assertEq(registry.owner(), alice);
        vm.assertEq(registry.pendingOwner(), address(0));
        vm.prank(alice);
        registry.addSigner(bob);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this)));
        registry.removeSigner(bob);
    }

    function testFuzz_acceptOwnership_RevertWhen_TheCallerWasNotNamed(address caller) public {
        vm.assume(caller != alice);
        registry.transferOwnership(alice);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, caller));
        vm.prank(caller);
        registry.acceptOwnership();
    }

    function testFuzz_transferOwnership_RevertWhen_TheCallerIsNotTheOwner(address caller) public {
        vm.assume(caller != address(this));
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, caller));
        vm.prank(caller);
        registry.transferOwnership(caller);
    }

    function testFuzz_renounceOwnership_RevertWhen_AnyoneCalls(address caller) public {
        vm.expectRevert(abi.encodeWithSelector(SignerRegistry.OwnershipCannotBeRenounced.selector));
        vm.prank(caller);
        registry.renounceOwnership();
        vm.expectRevert(abi.encodeWithSelector(SignerRegistry.OwnershipCannotBeRenounced.selector));
        registry.renounceOwnership();
        vm.assertEq(registry.owner(), address(this));
    }
}
