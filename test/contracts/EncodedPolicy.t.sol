// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IVerifyConsumer} from "../../contracts/interfaces/IVerifyConsumer.sol";
import {ChosenConsumer} from "../fixtures/contracts/ChosenConsumer.sol";
import {CrowdedChosenConsumer, EncodedChosenConsumer} from "../fixtures/contracts/EncodedChosenConsumer.sol";
import {EncodedConsumer1, EncodedConsumer2, EncodedConsumer4} from "../fixtures/contracts/MinimalConsumers.sol";
import {MinimalConsumer1, MinimalConsumer2, MinimalConsumer4} from "../fixtures/contracts/MinimalConsumers.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

contract EncodedPolicyTest is RegistryFixture {
    function test_getters_AnswerAsThePlainOnesOfTheSamePolicy() public {
        address to = address(registry);
        _assertSameAnswers(address(new EncodedConsumer1(to)), address(new MinimalConsumer1(to)));
        _assertSameAnswers(address(new EncodedConsumer2(to)), address(new MinimalConsumer2(to)));
        _assertSameAnswers(address(new EncodedConsumer4(to)), address(new MinimalConsumer4(to)));
    }

    function testFuzz_getters_AnswerAsPlainOnesWhenThePolicyIsKept(
        uint256 seed,
        uint256 providerLength,
        uint256 count
    ) public {
        string memory provider = _text(seed, 1 + (providerLength % 31));
        IVerifyConsumer.Condition[] memory conditions = new IVerifyConsumer.Condition[](1 + (count % 4));
        for (uint256 i = 0; i < conditions.length; ++i) {
            uint256 here = uint256(keccak256(abi.encode(seed, i)));
            conditions[i] = IVerifyConsumer.Condition(
                _text(here, 1 + (here % 31)),
                _text(here + 1, 1 + ((here >> 8) % 31)),
                _text(here + 2, 1 + ((here >> 16) % 31))
            );
        }
        EncodedChosenConsumer consumer = new EncodedChosenConsumer(address(registry), provider, conditions);
        _assertAnswers(address(consumer), provider, conditions);

        // It is kept: what the policy's functions would say now does not matter.
        consumer.setPolicy("changed", new IVerifyConsumer.Condition[](0));
        _assertAnswers(address(consumer), provider, conditions);
    }

    function testFuzz_getters_AnswerAsPlainOnesWhateverThePolicy(
        string memory provider,
        IVerifyConsumer.Condition[] memory conditions
    ) public {
        _assertAnswers(
            address(new EncodedChosenConsumer(address(registry), provider, conditions)),
            provider,
            conditions
        );
    }

    function test_getters_AnswerAsPlainOnesAtTheLimitsOfWhatIsKept() public {
        for (uint256 count = 0; count <= 6; ++count) {
            for (uint256 length = 0; length <= 33; length += length == 1 ? 29 : 1) {
                _assertAnswersOf(_text(1, 9), _list(count, _text(2, length), _text(3, 2), _text(4, 4)));
                _assertAnswersOf(_text(1, 9), _list(count, _text(2, 9), _text(3, length), _text(4, 4)));
                _assertAnswersOf(_text(1, 9), _list(count, _text(2, 9), _text(3, 2), _text(4, length)));
                _assertAnswersOf(_text(1, length), _list(count, _text(2, 9), _text(3, 2), _text(4, 4)));
            }
        }
    }

    function test_getters_AnswerAsPlainOnesWhereTheCompilerKeepsVariablesInMemory() public {
        IVerifyConsumer.Condition[] memory conditions = _list(4, "followers", "gt", "1000");
        CrowdedChosenConsumer consumer = new CrowdedChosenConsumer(address(registry), "microblog", conditions);
        // Otherwise the compiler has learned to do without, and this test shows nothing.
        vm.assertTrue(consumer.freeMemory() > 0x80);
        _assertAnswers(address(consumer), "microblog", conditions);
    }

    function _assertAnswersOf(string memory provider, IVerifyConsumer.Condition[] memory conditions) private {
        address consumer = address(new EncodedChosenConsumer(address(registry), provider, conditions));
        _assertAnswers(consumer, provider, conditions);
    }

    function _assertAnswers(
        address consumer,
        string memory provider,
        IVerifyConsumer.Condition[] memory conditions
    ) private {
        vm.assertEq(_ask(consumer, IVerifyConsumer.provider.selector), abi.encode(provider));
        vm.assertEq(_ask(consumer, IVerifyConsumer.conditions.selector), abi.encode(conditions));
        address plain = address(new ChosenConsumer(address(registry), provider, conditions));
        _assertSameAnswers(consumer, plain);
        vm.assertEq(registry.policyHash(consumer), keccak256(abi.encode(CHAIN, consumer, provider, conditions)));
    }

    function _assertSameAnswers(address one, address other) private view {
        bytes4 provider = IVerifyConsumer.provider.selector;
        bytes4 conditions = IVerifyConsumer.conditions.selector;
        vm.assertEq(_ask(one, provider), _ask(other, provider));
        vm.assertEq(_ask(one, conditions), _ask(other, conditions));
    }

    function _ask(address consumer, bytes4 selector) private view returns (bytes memory answer) {
        bool success;
        (success, answer) = consumer.staticcall(abi.encodeWithSelector(selector));
        vm.assertTrue(success);
    }

    /// @dev Any bytes, as a string may hold them.
    function _text(uint256 seed, uint256 length) private pure returns (string memory) {
        bytes memory text = new bytes(length);
        for (uint256 i = 0; i < length; ++i) text[i] = bytes1(uint8(uint256(keccak256(abi.encode(seed, i)))));
        return string(text);
    }

    function _list(
        uint256 count,
        string memory name,
        string memory op,
        string memory value
    ) private pure returns (IVerifyConsumer.Condition[] memory list) {
        list = new IVerifyConsumer.Condition[](count);
        for (uint256 i = 0; i < count; ++i) list[i] = IVerifyConsumer.Condition(name, op, value);
    }
}
