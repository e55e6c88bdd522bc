// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BoundedCalls} from "../../contracts/lens/BoundedCalls.sol";
import {ToyFactory, ToyWallet} from "../fixtures/contracts/HostileWallets.sol";
import {Recorder} from "../fixtures/contracts/Recorder.sol";
import {Echo} from "./fixtures/Echo.sol";
import {vm} from "./fixtures/Vm.sol";

/// @dev Is called with how much gas to leave, and whether to revert then.
contract Spender {
    fallback() external {
        assembly ("memory-safe") {
            let left := calldataload(0x00)
            for {} gt(gas(), left) {} {}
            if calldataload(0x20) {
                revert(0x00, 0x00)
            }
            return(0x00, 0x00)
        }
    }
}

/// @dev test/protocol/chain/boundedCalls.test.ts tests the same by the node's `eth_call`.
contract BoundedCallsExecuteTest {
    uint256 private constant GAS_LIMIT = 100_000;
    uint256 private constant SIZE_LIMIT = 32;
    /// @dev The precompile that answers what it is called with.
    address private constant IDENTITY = address(4);

    BoundedCalls private lens;
    // Not touched by a test before its call: its first use costs more.
    address private spender;

    function setUp() public {
        lens = new BoundedCalls();
        spender = address(new Spender());
    }

    function test_execute_CallsNoSuccessExhaustedHoweverLittleGasItLeaves() public {
        BoundedCalls.Answer memory answer = _execute(_call(spender, abi.encode(60, false)))[0];
        vm.assertTrue(answer.success);
        vm.assertFalse(answer.exhausted);
    }

    function test_execute_CallsAFailureExhaustedThatHalts() public {
        // Out of gas before it can revert.
        BoundedCalls.Answer memory answer = _execute(_call(spender, abi.encode(0, true)))[0];
        vm.assertFalse(answer.success);
        vm.assertTrue(answer.exhausted);
    }

    function test_execute_CallsNoRevertExhaustedThatLeavesGas() public {
        // Less than the first use of an address costs: that is not the called one's.
        BoundedCalls.Answer memory answer = _execute(_call(spender, abi.encode(1_000, true)))[0];
        vm.assertFalse(answer.success);
        vm.assertFalse(answer.exhausted);
    }

    function test_execute_TellsOfEachCallWhetherCodeWasThereBeforeIt() public {
        ToyFactory factory = new ToyFactory();
        BoundedCalls.Call memory check = _call(
            factory.predict(0),
            abi.encodeCall(ToyWallet.isValidSignature, (bytes32(0), ""))
        );
        BoundedCalls.Call memory deploy = _call(address(factory), abi.encodeCall(ToyFactory.deploy, (0)));
        deploy.changesState = true;
        deploy.gasLimit = 1_000_000;

        BoundedCalls.Answer[] memory answers = _execute(check, deploy, check);
        vm.assertFalse(answers[0].hasCode);
        vm.assertEq(answers[0].size, 0);
        vm.assertTrue(answers[1].hasCode && answers[1].success);
        vm.assertTrue(answers[2].hasCode);
        vm.assertEq(answers[2].data, abi.encode(ToyWallet.isValidSignature.selector));
    }

    function test_execute_KeepsAnAnswerUpToTheSizeLimitAndTellsItsWholeSize() public {
        address[2] memory targets = [IDENTITY, address(new Echo())];
        for (uint256 i = 0; i < targets.length; ++i) {
            for (uint256 size = 0; size <= 2 * SIZE_LIMIT; ++size) {
                BoundedCalls.Answer memory answer = _execute(_call(targets[i], _bytes(size)))[0];
                vm.assertEq(answer.size, size);
                vm.assertEq(answer.data, _bytes(size < SIZE_LIMIT ? size : SIZE_LIMIT));
            }
        }
    }

    function test_execute_StopsAtARequiredCallThatFailsAndAtNoOther() public {
        BoundedCalls.Call memory fails = _call(address(new Echo()), hex"01");
        BoundedCalls.Call memory succeeds = _call(IDENTITY, hex"02");
        succeeds.required = true;
        BoundedCalls.Answer[] memory answers = _execute(succeeds, fails, succeeds);
        vm.assertTrue(answers[0].success && !answers[1].success && answers[2].success);

        fails.required = true;
        answers = _execute(succeeds, fails, succeeds);
        vm.assertTrue(answers[0].success && !answers[1].success && !answers[2].success);
        vm.assertEq(answers[1].data, hex"01");
        vm.assertEq(answers[2].size, 0);
        vm.assertEq(answers[2].data, "");
    }

    function test_execute_ChangesStateOnlyWhereACallMay() public {
        Recorder recorder = new Recorder();
        BoundedCalls.Call memory call_ = _call(address(recorder), abi.encodeCall(Recorder.record, ()));
        call_.gasLimit = 1_000_000;
        vm.assertFalse(_execute(call_)[0].success);
        vm.assertEq(recorder.count(), 0);
        call_.changesState = true;
        vm.assertTrue(_execute(call_)[0].success);
        vm.assertEq(recorder.count(), 1);
    }

    function _bytes(uint256 size) private pure returns (bytes memory data) {
        data = new bytes(size);
        for (uint256 i = 0; i < size; ++i) data[i] = bytes1(uint8(i + 1));
    }

    function _call(address target, bytes memory data) private pure returns (BoundedCalls.Call memory) {
        return BoundedCalls.Call(target, false, false, GAS_LIMIT, SIZE_LIMIT, data);
    }

    function _execute(BoundedCalls.Call memory a) private returns (BoundedCalls.Answer[] memory) {
        BoundedCalls.Call[] memory calls = new BoundedCalls.Call[](1);
        calls[0] = a;
        return lens.execute(calls);
    }

    function _execute(
        BoundedCalls.Call memory a,
        BoundedCalls.Call memory b,
        BoundedCalls.Call memory c
    ) private returns (BoundedCalls.Answer[] memory) {
        BoundedCalls.Call[] memory calls = new BoundedCalls.Call[](3);
        (calls[0], calls[1], calls[2]) = (a, b, c);
        return lens.execute(calls);
    }
}
