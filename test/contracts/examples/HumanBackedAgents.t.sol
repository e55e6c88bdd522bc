// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {HumanBackedAgents} from "../../../contracts/examples/HumanBackedAgents.sol";
import {TestIdentity} from "../../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../../contracts/VerifyOnce.sol";
import {RegistryFixture} from "../fixtures/RegistryFixture.sol";
import {vm} from "../fixtures/Vm.sol";

contract HumanBackedAgentsTest is RegistryFixture {
    HumanBackedAgents private agents;

    function setUp() public override {
        super.setUp();
        agents = new HumanBackedAgents(address(registry));
    }

    function test_back_CountsThreeAgentsForEachOfThreePeople() public {
        string[3] memory people = ["alice", "bob", "carol"];
        for (uint256 i = 0; i < 9; i++) {
            (address wallet, address agent) = (_wallet(i / 3), _agent(i));
            vm.expectEmit(address(agents));
            emit HumanBackedAgents.AgentBacked(agent, wallet, _mint(wallet, people[i / 3]).identityHash);
            _back(wallet, people[i / 3], agent, i % 3);
            _accept(agent, wallet);
        }
        for (uint256 i = 0; i < 9; i++) {
            vm.assertTrue(agents.isBacked(_agent(i)));
            for (uint256 j = 0; j < 9; j++) {
                vm.assertTrue(agents.sameHuman(_agent(i), _agent(j)) == (i / 3 == j / 3));
            }
        }
    }

    function test_back_RevertWhen_ItIsAFourthAgentFromAnyWallet() public {
        for (uint256 slot = 0; slot < 3; slot++) _back(_wallet(slot), "alice", _agent(slot), slot);
        for (uint256 slot = 0; slot < 3; slot++) {
            TestIdentity.Verification memory v = _mint(bob, "alice");
            vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
            vm.prank(bob);
            agents.back(_agent(3), slot, v.identityHash, v.expiration, v.signature);
        }
        vm.assertFalse(agents.isBacked(_agent(3)));
    }

    function testFuzz_back_RevertWhen_APersonHasNoSuchSlot(uint256 slot) public {
        vm.assume(slot >= 3);
        TestIdentity.Verification memory v = _mint(alice, "alice");
        vm.expectRevert(abi.encodeWithSelector(HumanBackedAgents.SlotNotFound.selector, slot));
        vm.prank(alice);
        agents.back(_agent(0), slot, v.identityHash, v.expiration, v.signature);
    }

    function test_back_LeavesAnAgentToThoseWhomItAccepts() public {
        _back(bob, "mallory", _agent(0), 0);
        vm.assertFalse(agents.isBacked(_agent(0)));
        _back(alice, "alice", _agent(0), 0);
        vm.expectEmit(address(agents));
        emit HumanBackedAgents.BackerAccepted(_agent(0), alice);
        _accept(_agent(0), alice);
        vm.assertEq(agents.humanOf(_agent(0)), _mint(alice, "alice").identityHash);
        vm.prank(bob);
        agents.release(_agent(0));
        vm.assertTrue(agents.isBacked(_agent(0)));
    }

    function test_accept_RevertWhen_TheWalletDoesNotBackTheAgent() public {
        _back(alice, "alice", _agent(0), 0);
        vm.expectRevert(abi.encodeWithSelector(HumanBackedAgents.NotBacker.selector, _agent(1), alice));
        _accept(_agent(1), alice);
    }

    function test_release_TakesThePersonFromTheAgentAndKeepsTheSlotUsed() public {
        _back(alice, "alice", _agent(0), 0);
        _accept(_agent(0), alice);
        vm.expectEmit(address(agents));
        emit HumanBackedAgents.AgentReleased(_agent(0), alice);
        vm.prank(alice);
        agents.release(_agent(0));
        vm.assertFalse(agents.isBacked(_agent(0)));
        vm.assertEq(agents.backerOf(_agent(0)), address(0));
        TestIdentity.Verification memory v = _mint(alice, "alice");
        vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
        vm.prank(alice);
        agents.back(_agent(1), 0, v.identityHash, v.expiration, v.signature);
    }

    function test_release_RevertWhen_TheCallerIsNotTheBacker() public {
        _back(alice, "alice", _agent(0), 0);
        _accept(_agent(0), alice);
        vm.expectRevert(abi.encodeWithSelector(HumanBackedAgents.NotBacker.selector, _agent(0), bob));
        vm.prank(bob);
        agents.release(_agent(0));
    }

    function test_sameHuman_IsFalseForAgentsWithoutAPerson() public view {
        vm.assertFalse(agents.sameHuman(_agent(0), _agent(1)));
        vm.assertFalse(agents.sameHuman(_agent(0), _agent(0)));
    }

    /// @dev Two people, four wallets, twelve agents, and steps in any order.
    function testFuzz_back_GivesNobodyMoreThanThreeAgents(uint16[32] calldata steps) public {
        string[2] memory people = ["alice", "bob"];
        for (uint256 i = 0; i < steps.length; i++) {
            (address wallet, address agent) = (_wallet(steps[i] % 4), _agent((steps[i] / 4) % 12));
            TestIdentity.Verification memory v = _mint(wallet, people[(steps[i] / 48) % 2]);
            uint256 slot = (steps[i] / 96) % 5;
            vm.prank(wallet);
            try agents.back(agent, slot, v.identityHash, v.expiration, v.signature) {} catch {}
            vm.prank(agent);
            try agents.accept(wallet) {} catch {}
            if (steps[i] % 7 == 0) {
                vm.prank(wallet);
                try agents.release(agent) {} catch {}
            }
        }
        for (uint256 i = 0; i < 12; i++) {
            uint256 count = 0;
            for (uint256 j = 0; j < 12; j++) if (agents.sameHuman(_agent(i), _agent(j))) ++count;
            vm.assertTrue(count <= 3);
        }
    }

    function _wallet(uint256 i) private pure returns (address) {
        return address(uint160(0xA00 + i));
    }

    function _agent(uint256 i) private pure returns (address) {
        return address(uint160(0xB00 + i));
    }

    function _mint(address wallet, string memory person) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(address(agents), wallet, person, EXPIRATION);
    }

    function _back(address wallet, string memory person, address agent, uint256 slot) private {
        TestIdentity.Verification memory v = _mint(wallet, person);
        vm.prank(wallet);
        agents.back(agent, slot, v.identityHash, v.expiration, v.signature);
    }

    function _accept(address agent, address wallet) private {
        vm.prank(agent);
        agents.accept(wallet);
    }
}
