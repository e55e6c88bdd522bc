// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {VerifyConsumer} from "../../contracts/VerifyConsumer.sol";
import {BatchExecutor} from "../../contracts/wallet/BatchExecutor.sol";
import {ExternalGate} from "../fixtures/contracts/Gates.sol";
import {EndlessData, EndlessGas, RevertBomb, ScriptedConsumer} from "../fixtures/contracts/HostileConsumers.sol";
import {Echo} from "./fixtures/Echo.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

/// @dev Calls a consumer for its own caller.
contract Forwarder {
    function enter(ExternalGate consumer, TestIdentity.Verification calldata v) external {
        consumer.enter(v.identityHash, v.expiration, v.signature);
    }
}

contract VerifyConsumerTest is RegistryFixture {
    /// @dev Many times the gas of a deployment: with this limit, a contract that burns all its gas fails a test at once,
    /// and not after minutes.
    uint256 private constant DEPLOYMENT_GAS = 10_000_000;

    ExternalGate private consumer;
    TestIdentity.Verification private verification;

    function setUp() public override {
        super.setUp();
        consumer = new ExternalGate(address(registry));
        verification = TestIdentity.mint(address(consumer), alice, "alice", EXPIRATION);
    }

    function deployGate(address registry_) external {
        new ExternalGate(registry_);
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

    /// @dev `verifyVerification` returns nothing: a registry that takes every call in silence would admit everybody.
    function test_constructor_RevertWhen_TheRegistryTakesEveryCallInSilence() public {
        _expectInvalid(address(new BatchExecutor()));
    }

    function testFuzz_constructor_RevertWhen_TheRegistryAnswersTheSameToEveryCall(bytes memory answer) public {
        _expectInvalid(_parrot(answer));
        _expectInvalid(_parrot(abi.encode(true)));
        _expectInvalid(_parrot(new bytes(20_000)));
        _expectInvalid(_parrot(abi.encode(type(uint256).max)));
    }

    function test_constructor_RevertWhen_TheContractHasNoDomain() public {
        _expectInvalid(address(this));
        _expectInvalid(address(consumer));
        _expectInvalid(address(new EndlessGas()));
        _expectInvalid(address(new EndlessData()));
        _expectInvalid(address(new RevertBomb()));
        for (uint160 i = 1; i <= 0x11; ++i) {
            _expectInvalid(address(i));
        }
    }

    function test_constructor_SpendsLittleOnAContractThatBurnsAllItGets() public {
        address hostile = address(new EndlessGas());
        uint256 gasBefore = gasleft();
        try this.deployGate{gas: DEPLOYMENT_GAS}(hostile) {
            revert("taken");
        } catch (bytes memory reason) {
            vm.assertTrue(gasBefore - gasleft() < 300_000);
            vm.assertEq(reason, abi.encodeWithSelector(VerifyConsumer.InvalidRegistry.selector, hostile));
        }
    }

    function test_constructor_RevertWhen_TheDomainIsAnother() public {
        ScriptedConsumer other = new ScriptedConsumer();
        bytes memory right = _domain("SignerRegistry", "1", CHAIN, address(other));
        _answerDomain(other, false, right);
        vm.assertEq(address(new ExternalGate(address(other)).registry()), address(other));

        bytes[] memory wrong = new bytes[](7);
        wrong[0] = _domain("Ether Mail", "1", CHAIN, address(other));
        wrong[1] = _domain("SignerRegistry", "2", CHAIN, address(other));
        wrong[2] = _domain("SignerRegistry", "1", CHAIN + 1, address(other));
        wrong[3] = _domain("SignerRegistry", "1", CHAIN, address(registry));
        wrong[4] = bytes.concat(right, hex"00");
        wrong[5] = new bytes(right.length);
        for (uint256 i = 0; i < wrong.length; ++i) {
            _answerDomain(other, false, wrong[i]);
            _expectInvalid(address(other));
        }
        _answerDomain(other, true, right);
        _expectInvalid(address(other));
    }

    function test_constructor_TakesARegistryBehindAProxy() public {
        address proxy = Clones.clone(address(registry));
        vm.assertEq(address(new ExternalGate(proxy).registry()), proxy);
    }

    function test_registry_IsTheOneOfTheConstructor() public view {
        vm.assertEq(address(consumer.registry()), address(registry));
    }

    function test_cutoffBlock_IsZeroUnlessOverridden() public view {
        vm.assertEq(consumer.cutoffBlock(), 0);
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

    function _expectInvalid(address account) private {
        vm.expectRevert(abi.encodeWithSelector(VerifyConsumer.InvalidRegistry.selector, account));
        this.deployGate{gas: DEPLOYMENT_GAS}(account);
    }

    function _answerDomain(ScriptedConsumer contract_, bool reverts, bytes memory data) private {
        contract_.script(IERC5267.eip712Domain.selector, reverts, data);
    }

    function _domain(
        string memory name,
        string memory version,
        uint256 chain,
        address verifier
    ) private pure returns (bytes memory) {
        return abi.encode(bytes1(0x0f), name, version, chain, verifier, bytes32(0), new uint256[](0));
    }

    /// @dev A contract that gives one answer to whatever it is asked.
    function _parrot(bytes memory answer) private returns (address parrot) {
        parrot = address(uint160(uint256(keccak256(answer))));
        // Copies what stands behind its 11 bytes of code, and returns it.
        vm.etch(parrot, bytes.concat(hex"600b380380600b3d393df3", answer));
    }

    // The struct is copied from storage after the cheatcodes, and reading storage is no call: they still hold.
    function _enter() private {
        consumer.enter(verification.identityHash, verification.expiration, verification.signature);
    }

    function testFuzz_verify_AsksTheRegistryWhateverTheSignature(
        address user,
        bytes32 identityHash,
        uint40 expiration,
        bytes memory signature
    ) public {
        vm.etch(address(registry), type(Echo).runtimeCode);
        vm.expectRevert(abi.encodeCall(registry.verifyVerification, (user, identityHash, expiration, signature)));
        vm.prank(user);
        consumer.enter(identityHash, expiration, signature);
    }

    function test_verify_RevertWhen_TheRegistryHasLostItsCode() public {
        vm.etch(address(registry), "");
        vm.expectRevert();
        vm.prank(alice);
        consumer.enter(verification.identityHash, verification.expiration, verification.signature);
    }
}
