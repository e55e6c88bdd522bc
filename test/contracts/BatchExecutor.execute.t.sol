// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Recorder} from "../fixtures/contracts/Recorder.sol";
import {BatchExecutor} from "../../contracts/wallet/BatchExecutor.sol";
import {BatchExecutorFixture} from "./fixtures/BatchExecutorFixture.sol";
import {Echo} from "./fixtures/Echo.sol";
import {vm} from "./fixtures/Vm.sol";

contract BatchExecutorExecuteTest is BatchExecutorFixture {
    bytes private constant RECORD = abi.encodeCall(Recorder.record, ());

    function test_execute_CallsInOrderFromTheAccount() public {
        BatchExecutor.Call memory withValue = BatchExecutor.Call(address(recorder), 3 ether, type(uint256).max, RECORD);
        executeBatch(batch(callRecorder(RECORD), withValue));

        vm.assertEq(recorder.count(), 2, "both calls are made");
        vm.assertEq(recorder.lastSender(), address(account), "the account is the sender");
        vm.assertEq(recorder.lastValue(), 3 ether, "the second call is the last one");
        vm.assertEq(address(account).balance, 7 ether, "the account pays the value");
    }

    function test_execute_TakesAnEmptyBatch() public {
        executeBatch(new BatchExecutor.Call[](0));
        vm.assertEq(recorder.count(), 0, "nothing is called");
    }

    function test_execute_TakesACallWithoutCodeAtItsEnd() public {
        address stranger = address(0xbeef);
        executeBatch(batch(BatchExecutor.Call(stranger, 1 ether, type(uint256).max, hex"c0ffee")));
        vm.assertEq(stranger.balance, 1 ether, "the ether arrives");
    }

    function test_execute_TakesACallToTheAccountItself() public {
        bytes memory inner = abi.encodeCall(BatchExecutor.execute, (batch(callRecorder(RECORD))));
        executeBatch(batch(BatchExecutor.Call(address(account), 0, type(uint256).max, inner)));
        vm.assertEq(recorder.count(), 1, "the inner batch is executed");
    }

    function test_execute_RevertWhen_CalledAtTheExecutor() public {
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallerNotAccount.selector, address(this)));
        executor.execute(batch(callRecorder(RECORD)));
    }

    function testFuzz_execute_RevertWhen_CalledByAnother(address caller) public {
        vm.assume(caller != address(account) && caller != address(vm));
        vm.prank(caller);
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallerNotAccount.selector, caller));
        account.execute(new BatchExecutor.Call[](0));
    }

    function test_execute_RevertWhen_TheCalledCallsBack() public {
        bytes memory reenter = abi.encodeCall(Recorder.reenter, (batch(callRecorder(RECORD))));
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallerNotAccount.selector, address(recorder)));
        account.execute(batch(callRecorder(reenter)));
    }

    function testFuzz_execute_RevertWhen_ACallReverts_PassingOnItsRevertData(uint256 reason) public {
        bytes memory refuse = abi.encodeCall(Recorder.refuse, (reason));
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(Recorder.Refused.selector, reason));
        account.execute(batch(callRecorder(RECORD), callRecorder(refuse)));
        vm.assertEq(recorder.count(), 0, "the call before it is undone");
    }

    function test_execute_RevertWhen_ACallReverts_PassingOnAReasonOfAnyLength() public {
        address echo = address(new Echo());
        for (uint256 length = 1; length <= 100; ++length) {
            bytes memory reason = new bytes(length);
            reason[length - 1] = 0x01;
            vm.prank(address(account));
            try account.execute(batch(BatchExecutor.Call(echo, 0, type(uint256).max, reason))) {
                vm.assertTrue(false, "the batch fails");
            } catch (bytes memory passedOn) {
                vm.assertEq(passedOn, reason);
            }
        }
    }

    function test_execute_RevertWhen_ACallFailsWithoutAWord() public {
        bytes memory fail = abi.encodeCall(Recorder.fail, ());
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallFailed.selector, 1));
        account.execute(batch(callRecorder(RECORD), callRecorder(fail)));
        vm.assertEq(recorder.count(), 0, "the call before it is undone");
    }

    function test_execute_RevertWhen_TheAccountCannotPayTheValue() public {
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallFailed.selector, 0));
        account.execute(batch(BatchExecutor.Call(address(recorder), 11 ether, type(uint256).max, RECORD)));
    }

    function testFuzz_execute_GivesACallItsGasLimit(uint256 gasLimit) public {
        gasLimit = 100_000 + (gasLimit % 1_000_000);
        executeBatch(batch(callRecorder(RECORD, gasLimit)));
        // `record` reads the gas that is left after the dispatch to it.
        vm.assertTrue(recorder.lastGas() < gasLimit && recorder.lastGas() > gasLimit - 500, "the limit, and no less");
    }

    function test_execute_RevertWhen_ACallBurnsMoreThanItsLimit() public {
        bytes memory burn = abi.encodeCall(Recorder.burn, (100_000));
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallFailed.selector, 1));
        account.execute(batch(callRecorder(RECORD), callRecorder(burn, 90_000)));
        vm.assertEq(recorder.count(), 0, "the call before it is undone");

        executeBatch(batch(callRecorder(burn, 140_000)));
        vm.assertEq(recorder.count(), 1, "a limit that suffices does");
    }

    /// @dev `gas` and EIP-150: a limit just above what can be given fails the call, even one that burns nothing.
    function testFuzz_execute_RevertWhen_TheLimitCannotBeGivenAnyMore(uint256 gasLimit) public {
        gasLimit = 1_000_000 + (gasLimit % 10_000_000);
        BatchExecutor.Call[] memory calls = batch(callRecorder(RECORD), callRecorder(RECORD, gasLimit));

        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.GasLimitNotAvailable.selector, 1, gasLimit));
        account.execute{gas: gasLimit + gasLimit / 64}(calls);
        vm.assertEq(recorder.count(), 0, "the call before it is undone");

        vm.prank(address(account));
        account.execute{gas: gasLimit + gasLimit / 63 + 160_000}(calls);
        vm.assertEq(recorder.count(), 2, "with enough gas both are made");
        vm.assertTrue(recorder.lastGas() > gasLimit - 500, "and the limit is given whole");
    }

    /// @dev A call with a value costs more before the callee is given its gas: whatever there is, all of the limit or no
    /// call at all.
    function test_execute_GivesACallItsLimitWholeOrNotAtAll() public {
        _givesItsLimitWholeOrNotAtAll(1, RECORD);
    }

    /// @dev Data takes gas to be copied: 200 kB more than {BatchExecutor} sets aside for the call.
    function test_execute_GivesACallWithLongDataItsLimitWholeOrNotAtAll() public {
        _givesItsLimitWholeOrNotAtAll(0, bytes.concat(RECORD, new bytes(200_000)));
    }

    function _givesItsLimitWholeOrNotAtAll(uint256 value, bytes memory data) private {
        uint256 gasLimit = 1_000_000;
        BatchExecutor.Call[] memory calls = batch(BatchExecutor.Call(address(recorder), value, gasLimit, data));
        uint256 made;
        uint256 refused;
        for (uint256 given = gasLimit; made < 30; given += 2_000) {
            vm.prank(address(account));
            try account.execute{gas: given}(calls) {
                vm.assertTrue(recorder.lastGas() > gasLimit - 500, "a call that is made has its limit");
                ++made;
            } catch {
                vm.assertEq(made, 0, "with more gas it is made again");
                ++refused;
            }
        }
        vm.assertTrue(refused > 0, "with too little it is not");
    }

    /// @dev The call that costs the most before the called gets any gas: a value for an account that does not exist. It
    /// gets as far as the call only if that is paid for, and is refused only if it might not be.
    function test_execute_SaysThatTheGasDoesNotSufficeRatherThanRunOutOfIt() public {
        BatchExecutor.Call[] memory calls = batch(BatchExecutor.Call(address(0xbeef), 1, 0, ""));
        bytes memory refusal = abi.encodeWithSelector(BatchExecutor.GasLimitNotAvailable.selector, 0, 0);
        uint256 firstRefused;
        uint256 firstMade;
        for (uint256 given = 1_000; firstMade == 0; given += 100) {
            vm.prank(address(account));
            try account.execute{gas: given}(calls) {
                firstMade = given;
            } catch (bytes memory reason) {
                // Less gas does not even suffice to look at the calls.
                if (firstRefused == 0 && reason.length > 0) firstRefused = given;
                if (firstRefused != 0) vm.assertEq(reason, refusal);
            }
        }
        vm.assertTrue(firstRefused != 0, "with too little gas it is refused");
        vm.assertTrue(firstMade - firstRefused <= 40_000, "with 40,000 to spare it is made");
    }

    function test_execute_GivesACallWithoutGasWhereItsLimitIsZero() public {
        address stranger = address(0xbeef);
        executeBatch(batch(BatchExecutor.Call(stranger, 1 ether, 0, "")));
        vm.assertEq(stranger.balance, 1 ether, "an account needs no gas to be paid");

        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallFailed.selector, 0));
        account.execute(batch(callRecorder(RECORD, 0)));
    }
}
