// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";

import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../contracts/VerifyOnce.sol";
import {VerifyPaced} from "../../contracts/VerifyPaced.sol";
import {InvariantTest} from "./fixtures/InvariantTest.sol";
import {
    PacedOnceConsumer,
    Telling,
    TellingPacedConsumer,
    UpgradeableOnceConsumer,
    WindowlessConsumer
} from "./fixtures/OnceConsumers.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

/// @dev Claims of any person, honest or made up with the signer's key, in any round and order, while time passes; at a proxy
/// that counted people before an upgrade paced it.
contract PacedHandler {
    uint40 private constant START = 1_800_000_000;
    uint256 private constant WINDOW = 1 hours;

    PacedOnceConsumer public immutable consumer;
    uint256 public now_ = START;
    mapping(uint256 window => uint256) public admitted;
    uint256 public mostInAWindow;
    uint256 public refused;
    uint256 public refusedAtAnotherTime;

    constructor() {
        vm.warp(START);
        address registry = address(TestIdentity.deployRegistry());
        address first = address(new UpgradeableOnceConsumer(registry));
        bytes memory initialize = abi.encodeWithSelector(UpgradeableOnceConsumer.initialize.selector);
        UpgradeableOnceConsumer proxy = UpgradeableOnceConsumer(address(new ERC1967Proxy(first, initialize)));
        TestIdentity.Verification memory v = TestIdentity.mint(address(proxy), address(this), "first", START + 300);
        proxy.claim(v.identityHash, v.expiration, v.signature);
        proxy.upgradeToAndCall(address(new PacedOnceConsumer(registry)), "");
        consumer = PacedOnceConsumer(address(proxy));
    }

    function claim(uint256 person, uint8 round) external {
        vm.warp(now_);
        uint40 expiration = uint40(now_ + 300);
        string memory name = vm.toString(person);
        TestIdentity.Verification memory v = TestIdentity.mint(address(consumer), address(this), name, expiration);
        uint256 window = now_ / WINDOW;
        try consumer.claimIn(bytes32(uint256(round)), v.identityHash, v.expiration, v.signature) {
            if (++admitted[window] > mostInAWindow) mostInAWindow = admitted[window];
        } catch (bytes memory reason) {
            ++refused;
            bytes memory paced = abi.encodeWithSelector(VerifyPaced.PaceExceeded.selector, (window + 1) * WINDOW);
            bool isUsed = bytes4(reason) == VerifyOnce.IdentityAlreadyUsed.selector;
            if (!isUsed && (keccak256(reason) != keccak256(paced) || admitted[window] < 3)) ++refusedAtAnotherTime;
        }
    }

    function pass(uint16 time) external {
        now_ += time % 1000;
    }
}

contract VerifyPacedInvariantsTest is InvariantTest {
    PacedHandler private handler;

    function setUp() public {
        handler = new PacedHandler();
        targetContract(address(handler));
    }

    function invariant_NoWindowAdmitsMoreThanThePace() public view {
        vm.assertTrue(handler.mostInAWindow() <= 3);
    }

    function invariant_NobodyIsRefusedBeforeTheWindowIsUsedUp() public view {
        vm.assertEq(handler.refusedAtAnotherTime(), 0);
    }

    /// @dev The invariants say something only if the handler's calls get both answers.
    function test_handler_GetsPeopleAdmittedAndRefused() public {
        for (uint256 person = 0; person < 5; ++person) handler.claim(person, uint8(person % 2));
        vm.assertEq(handler.mostInAWindow(), 3);
        vm.assertEq(handler.refused(), 2);
        vm.assertEq(handler.refusedAtAnotherTime(), 0);
    }
}

contract VerifyPacedTest is RegistryFixture {
    PacedOnceConsumer private consumer;

    function setUp() public override {
        super.setUp();
        consumer = new PacedOnceConsumer(address(registry));
    }

    function test_verifyOnce_AdmitsAgainFromTheSecondThatTheErrorNames() public {
        for (uint256 person = 0; person < 3; ++person) _claim(vm.toString(person), NOW);
        uint256 retryAt = (uint256(NOW) / 1 hours + 1) * 1 hours;
        TestIdentity.Verification memory v = _mint("late", uint40(retryAt - 1));
        vm.warp(retryAt - 1);
        vm.expectRevert(abi.encodeWithSelector(VerifyPaced.PaceExceeded.selector, retryAt));
        consumer.claim(v.identityHash, v.expiration, v.signature);
        vm.assertFalse(consumer.identityUsed(v.identityHash));
        _claim("late", uint40(retryAt));
        vm.assertEq(consumer.admitted(), 4);
    }

    function test_verifyOnce_CountsNobodyWhoIsRefused() public {
        TestIdentity.Verification memory v = _mint("alice", NOW);
        consumer.claim(v.identityHash, v.expiration, v.signature);
        for (uint256 i = 0; i < 5; ++i) {
            vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
            consumer.claim(v.identityHash, v.expiration, v.signature);
            vm.expectRevert();
            consumer.claim(bytes32(i), v.expiration, v.signature);
        }
        _claim("bob", NOW);
        _claim("carol", NOW);
        vm.assertEq(consumer.admitted(), 3);
    }

    function test_verifyOnce_RevertWhen_ThePaceHasNoWindow() public {
        WindowlessConsumer windowless = new WindowlessConsumer(address(registry));
        TestIdentity.Verification memory v = TestIdentity.mint(address(windowless), address(this), "alice", NOW);
        vm.expectRevert(abi.encodeWithSelector(VerifyPaced.PaceWithoutWindow.selector));
        windowless.claim(v.identityHash, v.expiration, v.signature);
    }

    /// @dev That is why the contract, and not its callers, should decide which rounds there are.
    function test_verifyOnce_CountsAPersonOnceForEachRound() public {
        TestIdentity.Verification memory v = _mint("alice", NOW);
        for (uint256 round = 1; round < 4; ++round) {
            consumer.claimIn(bytes32(round), v.identityHash, v.expiration, v.signature);
        }
        uint256 retryAt = (uint256(NOW) / 1 hours + 1) * 1 hours;
        TestIdentity.Verification memory next = _mint("bob", NOW);
        vm.expectRevert(abi.encodeWithSelector(VerifyPaced.PaceExceeded.selector, retryAt));
        consumer.claim(next.identityHash, next.expiration, next.signature);
    }

    function test_verifyOnce_TellsAnotherExtensionOfTheIdentity() public {
        TellingPacedConsumer telling = new TellingPacedConsumer(address(registry));
        TestIdentity.Verification memory v = TestIdentity.mint(address(telling), address(this), "alice", NOW + 300);
        bytes32 round = keccak256("round");
        vm.expectEmit(address(telling));
        emit Telling.Told(round, v.identityHash);
        telling.claimIn(round, v.identityHash, v.expiration, v.signature);
    }

    function test_verifyOnce_StoresThePaceWhereERC7201Says() public {
        _claim("alice", NOW);
        uint256 window = uint256(NOW) / 1 hours;
        vm.assertEq(vm.load(address(consumer), _slot()), bytes32((uint256(1) << 128) | window));
        // After an upgrade to longer windows, whose numbers are lower, the former count is another window's.
        vm.store(address(consumer), _slot(), bytes32((uint256(3) << 128) | (window + 1)));
        _claim("bob", NOW);
    }

    /// @dev A zero slot would cost the first person 17,100 gas more.
    function test_constructor_PaysForTheSlotOfThePace() public view {
        vm.assertNotEq(vm.load(address(consumer), _slot()), bytes32(0));
    }

    function _slot() private pure returns (bytes32) {
        return
            keccak256(abi.encode(uint256(keccak256("hardhat-identity.storage.VerifyPaced")) - 1)) &
            ~bytes32(uint256(0xff));
    }

    function _claim(string memory name, uint40 time) private {
        vm.warp(time);
        TestIdentity.Verification memory v = _mint(name, time);
        consumer.claim(v.identityHash, v.expiration, v.signature);
    }

    function _mint(string memory name, uint40 time) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(address(consumer), address(this), name, time + 300);
    }
}
