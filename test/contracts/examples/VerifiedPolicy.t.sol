// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

import {IExcubiaePolicy, VerifiedPolicy} from "../../../contracts/examples/VerifiedPolicy.sol";
import {TestIdentity} from "../../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../../contracts/VerifyOnce.sol";
import {RegistryFixture} from "../fixtures/RegistryFixture.sol";
import {vm} from "../fixtures/Vm.sol";

/// @dev Asks its policy as MACI's `signUp` does: for its caller, before it counts them.
contract SignUp {
    IExcubiaePolicy private immutable _policy;
    uint256 public count;

    constructor(IExcubiaePolicy policy) {
        _policy = policy;
    }

    function signUp(bytes memory evidence) external {
        _policy.enforce(msg.sender, evidence);
        ++count;
    }
}

contract VerifiedPolicyTest is RegistryFixture {
    VerifiedPolicy private policy;
    SignUp private target;

    function setUp() public override {
        super.setUp();
        policy = new VerifiedPolicy(address(registry));
        target = new SignUp(policy);
        policy.setTarget(address(target));
    }

    function test_setTarget_RevertWhen_ItIsTheZeroAddress() public {
        VerifiedPolicy fresh = new VerifiedPolicy(address(registry));
        vm.expectRevert(abi.encodeWithSelector(VerifiedPolicy.ZeroTarget.selector));
        fresh.setTarget(address(0));
        fresh.setTarget(address(target));
        vm.assertEq(fresh.guarded(), address(target));
    }

    function test_enforce_SignsEachPersonUp() public {
        bytes memory evidence = _evidence(alice, "alice");
        vm.expectEmit(address(policy));
        emit IExcubiaePolicy.Enforced(alice, address(target), evidence);
        _signUp(alice, evidence);
        _signUp(bob, _evidence(bob, "bob"));
        vm.assertEq(target.count(), 2);
    }

    function test_enforce_RevertWhen_ThePersonHasSignedUpFromAnotherWallet() public {
        _signUp(alice, _evidence(alice, "alice"));
        bytes memory evidence = _evidence(bob, "alice");
        bytes32 identityHash = abi.decode(evidence, (bytes32));
        vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, identityHash));
        _signUp(bob, evidence);
        vm.assertEq(target.count(), 1);
    }

    function test_enforce_RevertWhen_TheVerificationIsAnotherWallets() public {
        bytes memory evidence = _evidence(alice, "alice");
        (bytes32 identityHash, uint40 expiration, bytes memory signature) = abi.decode(
            evidence,
            (bytes32, uint40, bytes)
        );
        expectStranger(address(policy), bob, identityHash, expiration, signature);
        _signUp(bob, evidence);
    }

    function test_enforce_RevertWhen_TheEvidenceIsNone() public {
        vm.expectRevert();
        _signUp(alice, "");
        vm.assertEq(target.count(), 0);
    }

    function testFuzz_enforce_RevertWhen_TheCallerIsNotTheTarget(address caller) public {
        vm.assume(caller != address(target));
        bytes memory evidence = _evidence(alice, "alice");
        vm.expectRevert(abi.encodeWithSelector(IExcubiaePolicy.TargetOnly.selector));
        vm.prank(caller);
        policy.enforce(alice, evidence);
    }

    function test_enforce_RevertWhen_NoTargetIsSet() public {
        policy = new VerifiedPolicy(address(registry));
        bytes memory evidence = _evidence(alice, "alice");
        vm.expectRevert(abi.encodeWithSelector(IExcubiaePolicy.TargetOnly.selector));
        policy.enforce(alice, evidence);
    }

    function test_setTarget_EmitsTheTarget() public {
        policy = new VerifiedPolicy(address(registry));
        vm.expectEmit(address(policy));
        emit IExcubiaePolicy.TargetSet(alice);
        policy.setTarget(alice);
        vm.assertEq(policy.guarded(), alice);
    }

    function test_setTarget_RevertWhen_ItIsSet() public {
        vm.expectRevert(abi.encodeWithSelector(IExcubiaePolicy.TargetAlreadySet.selector));
        policy.setTarget(alice);
    }

    function test_setTarget_RevertWhen_TheCallerIsNotTheOwner() public {
        policy = new VerifiedPolicy(address(registry));
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, alice));
        vm.prank(alice);
        policy.setTarget(alice);
    }

    function _evidence(address wallet, string memory person) private view returns (bytes memory) {
        TestIdentity.Verification memory v = TestIdentity.mint(address(policy), wallet, person, EXPIRATION);
        return abi.encode(v.identityHash, v.expiration, v.signature);
    }

    function _signUp(address wallet, bytes memory evidence) private {
        vm.prank(wallet);
        target.signUp(evidence);
    }
}
