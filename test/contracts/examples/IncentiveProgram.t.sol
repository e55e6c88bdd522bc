// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IncentiveProgram} from "../../../contracts/examples/IncentiveProgram.sol";
import {TestIdentity} from "../../../contracts/testing/TestIdentity.sol";
import {RegistryFixture} from "../fixtures/RegistryFixture.sol";
import {vm} from "../fixtures/Vm.sol";

contract IncentiveProgramTest is RegistryFixture {
    IncentiveProgram private program;

    function setUp() public override {
        super.setUp();
        program = new IncentiveProgram(address(registry));
    }

    function test_enroll_EnrolsThePersonWithAnEvent() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        vm.expectEmit(address(program));
        emit IncentiveProgram.Enrolled(alice, v.identityHash);
        _enroll(alice, v);
        vm.assertTrue(program.identityUsed(v.identityHash));
    }

    function test_enroll_RevertWhen_ThePersonIsEnrolledAlready() public {
        _enroll(alice, _mint(alice, "alice"));
        TestIdentity.Verification memory again = _mint(alice, "alice");
        vm.expectRevert(abi.encodeWithSelector(IncentiveProgram.AlreadyEnrolled.selector));
        _enroll(alice, again);
        TestIdentity.Verification memory elsewhere = _mint(bob, "alice");
        vm.expectRevert(abi.encodeWithSelector(IncentiveProgram.AlreadyEnrolled.selector));
        _enroll(bob, elsewhere);
    }

    function _mint(address user, string memory name) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(address(program), user, name, EXPIRATION);
    }

    function _enroll(address user, TestIdentity.Verification memory v) private {
        vm.prank(user);
        program.enroll(v.identityHash, v.expiration, v.signature);
    }
}
