// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ballot} from "../../../contracts/examples/Ballot.sol";
import {TestIdentity} from "../../../contracts/testing/TestIdentity.sol";
import {RegistryFixture} from "../fixtures/RegistryFixture.sol";
import {vm} from "../fixtures/Vm.sol";

contract BallotTest is RegistryFixture {
    Ballot private ballot;

    function setUp() public override {
        super.setUp();
        vm.roll(1000);
        ballot = new Ballot(address(registry));
    }

    function test_vote_CountsEveryPersonOnTheirSide() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        vm.expectEmit(address(ballot));
        emit Ballot.Voted(v.identityHash, true);
        _vote(alice, true, v);
        v = _mint(bob, "bob");
        vm.expectEmit(address(ballot));
        emit Ballot.Voted(v.identityHash, false);
        _vote(bob, false, v);
        vm.assertEq(ballot.yes(), 1);
        vm.assertEq(ballot.no(), 1);
    }

    function test_vote_RevertWhen_ThePersonHasVoted() public {
        _vote(alice, true, _mint(alice, "alice"));
        TestIdentity.Verification memory v = _mint(bob, "alice");
        vm.expectRevert(abi.encodeWithSelector(Ballot.AlreadyVoted.selector));
        _vote(bob, false, v);
        vm.assertEq(ballot.yes(), 1);
        vm.assertEq(ballot.no(), 0);
    }

    function test_cutoffBlock_IsTheBlockInWhichTheBallotOpened() public {
        vm.assertEq(ballot.cutoffBlock(), 1000);
        vm.roll(2000);
        vm.assertEq(ballot.cutoffBlock(), 1000);
    }

    function _mint(address user, string memory name) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(address(ballot), user, name, EXPIRATION);
    }

    function _vote(address user, bool support, TestIdentity.Verification memory v) private {
        vm.prank(user);
        ballot.vote(support, v.identityHash, v.expiration, v.signature);
    }
}
