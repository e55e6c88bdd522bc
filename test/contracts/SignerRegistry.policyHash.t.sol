// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISignerRegistryErrors} from "../../contracts/interfaces/ISignerRegistryErrors.sol";
import {IVerifyConsumer} from "../../contracts/interfaces/IVerifyConsumer.sol";
import {ChosenConsumer} from "../fixtures/contracts/ChosenConsumer.sol";
import {ScriptedConsumer} from "../fixtures/contracts/HostileConsumers.sol";
import {MinimalConsumer4} from "../fixtures/contracts/MinimalConsumers.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

contract SignerRegistryPolicyHashTest is RegistryFixture {
    bytes4 private constant PROVIDER = IVerifyConsumer.provider.selector;
    bytes4 private constant CONDITIONS = IVerifyConsumer.conditions.selector;

    function testFuzz_policyHash_IsTheHashOfTheEncodedPolicy(
        string memory provider,
        IVerifyConsumer.Condition[] memory conditions,
        uint64 chain
    ) public {
        vm.chainId(chain);
        address consumer = address(new ChosenConsumer(address(registry), provider, conditions));
        vm.assertEq(
            registry.policyHash(consumer),
            keccak256(abi.encode(uint256(chain), consumer, provider, conditions))
        );
    }

    function test_policyHash_TellsConsumersApartThatHaveTheSamePolicy() public {
        address one = address(new MinimalConsumer4(address(registry)));
        address other = address(new MinimalConsumer4(address(registry)));
        vm.assertNotEq(registry.policyHash(one), registry.policyHash(other));
    }

    function testFuzz_policyHash_LeavesTheCutoffOut(uint256 cutoffBlock) public {
        ChosenConsumer consumer = new ChosenConsumer(address(registry), "microblog", _oneCondition());
        bytes32 before = registry.policyHash(address(consumer));
        consumer.setCutoffBlock(cutoffBlock);
        vm.assertEq(registry.policyHash(address(consumer)), before);
    }

    function test_policyHash_TellsApartWhereTheProviderEndsAndTheConditionsBegin() public {
        ScriptedConsumer consumer = new ScriptedConsumer();
        bytes memory word = abi.encode(uint256(7));
        consumer.script(PROVIDER, false, abi.encodePacked(abi.encode(uint256(0x20), uint256(1)), word));
        consumer.script(CONDITIONS, false, abi.encode(uint256(0x20), uint256(2)));
        bytes32 before = registry.policyHash(address(consumer));

        consumer.script(PROVIDER, false, abi.encode(uint256(0x20), uint256(1)));
        consumer.script(CONDITIONS, false, abi.encodePacked(uint256(0x20), word, uint256(2)));
        vm.assertNotEq(registry.policyHash(address(consumer)), before);
    }

    function testFuzz_policyHash_RevertWhen_NoCodeIsThere(address account) public {
        vm.assume(account.code.length == 0);
        _expectNotFound(account);
    }

    function test_policyHash_RevertWhen_TheAddressIsAPrecompile() public {
        for (uint160 i = 0; i <= 0x11; ++i) {
            _expectNotFound(address(i));
        }
    }

    function test_policyHash_RevertWhen_TheContractHasNoGetters() public {
        _expectNotFound(address(registry));
        _expectNotFound(address(this));
    }

    function test_policyHash_RevertWhen_OneGetterIsMissing() public {
        ScriptedConsumer withoutConditions = new ScriptedConsumer();
        withoutConditions.script(PROVIDER, false, abi.encode("microblog"));
        _expectNotFound(address(withoutConditions));

        ScriptedConsumer withoutProvider = new ScriptedConsumer();
        withoutProvider.script(CONDITIONS, false, abi.encode(_oneCondition()));
        _expectNotFound(address(withoutProvider));
    }

    function test_policyHash_RevertWhen_AGetterRevertsEvenWithAPolicyAsItsReason() public {
        ScriptedConsumer consumer = new ScriptedConsumer();
        consumer.script(PROVIDER, true, abi.encode("microblog"));
        consumer.script(CONDITIONS, false, abi.encode(_oneCondition()));
        _expectNotFound(address(consumer));

        consumer.script(PROVIDER, false, abi.encode("microblog"));
        consumer.script(CONDITIONS, true, abi.encode(_oneCondition()));
        _expectNotFound(address(consumer));
    }

    function test_policyHash_RevertWhen_AGetterBurnsAllGas() public {
        // An endless loop: JUMPDEST, PUSH1 0, JUMP.
        vm.etch(alice, hex"5b600056");
        _expectNotFound(alice);
    }

    function testFuzz_policyHash_RevertWhen_AGetterAnswersLessThanAnEncoding(uint8 size) public {
        bytes memory short = new bytes(size % 64);
        ScriptedConsumer consumer = new ScriptedConsumer();
        consumer.script(PROVIDER, false, short);
        consumer.script(CONDITIONS, false, abi.encode(_oneCondition()));
        _expectNotFound(address(consumer));

        consumer.script(PROVIDER, false, abi.encode("microblog"));
        consumer.script(CONDITIONS, false, short);
        _expectNotFound(address(consumer));
    }

    function _expectNotFound(address consumer) private {
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.PolicyNotFound.selector, consumer));
        // A precompile, or a getter that fails, may burn all that it is given.
        registry.policyHash{gas: 1_000_000}(consumer);
    }

    function _oneCondition() private pure returns (IVerifyConsumer.Condition[] memory list) {
        list = new IVerifyConsumer.Condition[](1);
        list[0] = IVerifyConsumer.Condition("followers", "gt", "1000");
    }
}
