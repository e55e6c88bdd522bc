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
        emit Ballot.Voted(0, v.identityHash, true);
        _vote(0, alice, true, v);
        v = _mint(bob, "bob");
        vm.expectEmit(address(ballot));
        emit Ballot.Voted(0, v.identityHash, false);
        _vote(0, bob, false, v);
        vm.assertEq(ballot.yes(0), 1);
        vm.assertEq(ballot.no(0), 1);
    }

    function test_vote_RevertWhen_ThePersonHasVoted() public {
        _vote(0, alice, true, _mint(alice, "alice"));
        TestIdentity.Verification memory v = _mint(bob, "alice");
        vm.expectRevert(abi.encodeWithSelector(Ballot.AlreadyVoted.selector));
        _vote(0, bob, false, v);
        vm.assertEq(ballot.yes(0), 1);
        vm.assertEq(ballot.no(0), 0);
    }

    function test_vote_CountsAPersonOnceOnEachProposal() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        _vote(0, alice, true, v);
        vm.expectEmit(address(ballot));
        emit Ballot.Proposed(1, "Shall we meet?");
        vm.assertEq(ballot.propose("Shall we meet?"), 1);
        _vote(1, alice, false, v);
        vm.assertEq(ballot.yes(0), 1);
        vm.assertEq(ballot.no(1), 1);
        vm.assertTrue(ballot.identityUsed(bytes32(uint256(1)), v.identityHash));
        v = _mint(bob, "alice");
        vm.expectRevert(abi.encodeWithSelector(Ballot.AlreadyVoted.selector));
        _vote(1, bob, true, v);
    }

    function testFuzz_vote_RevertWhen_TheProposalDoesNotExist(uint256 proposal) public {
        vm.assume(proposal > 0);
        TestIdentity.Verification memory v = _mint(alice, "alice");
        vm.expectRevert(abi.encodeWithSelector(Ballot.ProposalNotFound.selector, proposal));
        _vote(proposal, alice, true, v);
    }

    function test_cutoffBlock_IsTheBlockInWhichTheBallotOpened() public {
        vm.assertEq(ballot.cutoffBlock(), 1000);
        vm.roll(2000);
        vm.assertEq(ballot.cutoffBlock(), 1000);
    }

    function _mint(address user, string memory name) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(address(ballot), user, name, EXPIRATION);
    }

    function _vote(uint256 proposal, address user, bool support, TestIdentity.Verification memory v) private {
        vm.prank(user);
        ballot.vote(proposal, support, v.identityHash, v.expiration, v.signature);
    }
}
