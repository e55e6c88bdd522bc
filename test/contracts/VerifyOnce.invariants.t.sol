// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ballot} from "../../contracts/examples/Ballot.sol";
import {ExampleToken} from "../../contracts/examples/ExampleToken.sol";
import {IncentiveProgram} from "../../contracts/examples/IncentiveProgram.sol";
import {MembershipPass} from "../../contracts/examples/MembershipPass.sol";
import {VerifiedVault} from "../../contracts/examples/VerifiedVault.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../contracts/VerifyOnce.sol";
import {InvariantTest} from "./fixtures/InvariantTest.sol";
import {vm} from "./fixtures/Vm.sol";

/// @dev Four people, each of whom may use any of four wallets, at every example, in any order; counts who got in.
contract OnceHandler {
    uint256 public constant PEOPLE = 4;
    uint40 private constant NOW = 1_800_000_000;

    IncentiveProgram public immutable program;
    MembershipPass public immutable pass;
    Ballot public immutable ballot;
    VerifiedVault public immutable vault;
    ExampleToken public immutable token;

    mapping(VerifyOnce consumer => mapping(uint256 person => uint256)) public admitted;
    uint256 public refused;

    constructor() {
        vm.warp(NOW);
        address registry = address(TestIdentity.deployRegistry());
        program = new IncentiveProgram(registry);
        pass = new MembershipPass(registry);
        ballot = new Ballot(registry);
        token = new ExampleToken();
        vault = new VerifiedVault(registry, token);
        for (uint256 i = 0; i < PEOPLE; ++i) {
            token.mint(wallet(i), 1e18);
            vm.prank(wallet(i));
            token.approve(address(vault), type(uint256).max);
        }
    }

    function enroll(uint256 person, uint256 from) external {
        TestIdentity.Verification memory v = _mint(program, person, from);
        vm.prank(wallet(from));
        try program.enroll(v.identityHash, v.expiration, v.signature) {
            ++admitted[program][person % PEOPLE];
        } catch {
            ++refused;
        }
    }

    function mint(uint256 person, uint256 from) external {
        TestIdentity.Verification memory v = _mint(pass, person, from);
        vm.prank(wallet(from));
        try pass.mint(v.identityHash, v.expiration, v.signature) {
            ++admitted[pass][person % PEOPLE];
        } catch {
            ++refused;
        }
    }

    function vote(uint256 person, uint256 from, bool support) external {
        TestIdentity.Verification memory v = _mint(ballot, person, from);
        vm.prank(wallet(from));
        try ballot.vote(0, support, v.identityHash, v.expiration, v.signature) {
            ++admitted[ballot][person % PEOPLE];
        } catch {
            ++refused;
        }
    }

    function deposit(uint256 person, uint256 from, uint64 amount) external {
        TestIdentity.Verification memory v = _mint(vault, person, from);
        vm.prank(wallet(from));
        try vault.deposit(amount, v.identityHash, v.expiration, v.signature) {
            ++admitted[vault][person % PEOPLE];
        } catch {
            ++refused;
        }
    }

    function depositMore(uint256 from, uint64 amount) external {
        vm.prank(wallet(from));
        try vault.depositMore(amount) {} catch {
            ++refused;
        }
    }

    function withdraw(uint256 from, uint64 amount) external {
        vm.prank(wallet(from));
        try vault.withdraw(amount) {} catch {
            ++refused;
        }
    }

    function wallet(uint256 i) public pure returns (address) {
        return address(uint160(0xA0000 + (i % PEOPLE)));
    }

    function _mint(
        VerifyOnce consumer,
        uint256 person,
        uint256 from
    ) private view returns (TestIdentity.Verification memory) {
        string memory name = vm.toString(person % PEOPLE);
        return TestIdentity.mint(address(consumer), wallet(from), name, NOW + 300);
    }
}

contract VerifyOnceInvariantsTest is InvariantTest {
    OnceHandler private handler;

    function setUp() public {
        handler = new OnceHandler();
        targetContract(address(handler));
    }

    function invariant_OneIdentityCountsOnceAtEveryConsumer() public view {
        for (uint256 person = 0; person < handler.PEOPLE(); ++person) {
            vm.assertTrue(handler.admitted(handler.program(), person) <= 1);
            vm.assertTrue(handler.admitted(handler.pass(), person) <= 1);
            vm.assertTrue(handler.admitted(handler.ballot(), person) <= 1);
            vm.assertTrue(handler.admitted(handler.vault(), person) <= 1);
        }
    }

    function invariant_ThereAreAsManyPassesAndVotesAsPeople() public view {
        uint256 passes = 0;
        for (uint256 i = 0; i < handler.PEOPLE(); ++i) passes += handler.pass().balanceOf(handler.wallet(i));
        vm.assertEq(passes, _people(handler.pass()));
        vm.assertEq(handler.ballot().yes(0) + handler.ballot().no(0), _people(handler.ballot()));
    }

    function invariant_TheVaultHasWhatItOwes() public view {
        uint256 owed = 0;
        for (uint256 i = 0; i < handler.PEOPLE(); ++i) owed += handler.vault().balanceOf(handler.wallet(i));
        vm.assertEq(handler.token().balanceOf(address(handler.vault())), owed);
    }

    function invariant_OnlyWalletsWithAPositionHaveABalance() public view {
        for (uint256 i = 0; i < handler.PEOPLE(); ++i) {
            address wallet = handler.wallet(i);
            vm.assertTrue(handler.vault().balanceOf(wallet) == 0 || handler.vault().hasPosition(wallet));
        }
    }

    /// @dev The invariants say something only if the handler's calls get both answers.
    function test_handler_GetsPeopleAdmittedAndRefused() public {
        handler.enroll(0, 0);
        handler.mint(0, 0);
        handler.vote(0, 0, true);
        handler.deposit(0, 0, 10);
        handler.depositMore(0, 5);
        handler.withdraw(0, 15);
        vm.assertEq(handler.refused(), 0);
        vm.assertEq(_people(handler.program()), 1);
        vm.assertEq(_people(handler.pass()), 1);
        vm.assertEq(_people(handler.ballot()), 1);
        vm.assertEq(_people(handler.vault()), 1);

        handler.enroll(0, 1);
        handler.mint(0, 1);
        handler.vote(0, 1, false);
        handler.deposit(0, 1, 10);
        handler.depositMore(1, 5);
        handler.withdraw(1, 15);
        vm.assertEq(handler.refused(), 6);
    }

    function _people(VerifyOnce consumer) private view returns (uint256 count) {
        for (uint256 person = 0; person < handler.PEOPLE(); ++person) {
            count += handler.admitted(consumer, person);
        }
    }
}
