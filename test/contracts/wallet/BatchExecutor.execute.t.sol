// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Recorder} from "../../../contracts/testing/Recorder.sol";
import {BatchExecutor} from "../../../contracts/wallet/BatchExecutor.sol";
import {BatchExecutorTest} from "./BatchExecutorTest.sol";

contract BatchExecutorExecuteTest is BatchExecutorTest {
    bytes private constant RECORD = abi.encodeCall(Recorder.record, ());

    function test_execute_callsInOrderFromTheAccount() public {
        BatchExecutor.Call memory withValue = BatchExecutor.Call(address(recorder), 3 ether, type(uint256).max, RECORD);
        executeBatch(batch(callRecorder(RECORD), withValue));

        require(recorder.count() == 2, "both calls are made");
        require(recorder.lastSender() == address(account), "the account is the sender");
        require(recorder.lastValue() == 3 ether, "the second call is the last one");
        require(address(account).balance == 7 ether, "the account pays the value");
    }

    function test_execute_takesAnEmptyBatch() public {
        executeBatch(new BatchExecutor.Call[](0));
        require(recorder.count() == 0, "nothing is called");
    }

    function test_execute_takesACallWithoutCodeAtItsEnd() public {
        address stranger = address(0xbeef);
        executeBatch(batch(BatchExecutor.Call(stranger, 1 ether, type(uint256).max, hex"c0ffee")));
        require(stranger.balance == 1 ether, "the ether arrives");
    }

    function test_execute_takesACallToTheAccountItself() public {
        bytes memory inner = abi.encodeCall(BatchExecutor.execute, (batch(callRecorder(RECORD))));
        executeBatch(batch(BatchExecutor.Call(address(account), 0, type(uint256).max, inner)));
        require(recorder.count() == 1, "the inner batch is executed");
    }

    function test_execute_RevertWhen_calledByAnother() public {
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallerNotAccount.selector, address(this)));
        account.execute(batch(callRecorder(RECORD)));
    }

    function test_execute_RevertWhen_calledAtTheExecutor() public {
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallerNotAccount.selector, address(this)));
        executor.execute(batch(callRecorder(RECORD)));
    }

    function testFuzz_execute_RevertWhen_calledByAnother(address caller) public {
        vm.assume(caller != address(account) && caller != address(vm));
        vm.prank(caller);
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallerNotAccount.selector, caller));
        account.execute(new BatchExecutor.Call[](0));
    }

    function test_execute_RevertWhen_theCalledCallsBack() public {
        bytes memory reenter = abi.encodeCall(Recorder.reenter, (batch(callRecorder(RECORD))));
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallerNotAccount.selector, address(recorder)));
        account.execute(batch(callRecorder(reenter)));
    }

    function testFuzz_execute_RevertWhen_aCallReverts_passingOnItsRevertData(uint256 reason) public {
        bytes memory refuse = abi.encodeCall(Recorder.refuse, (reason));
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(Recorder.Refused.selector, reason));
        account.execute(batch(callRecorder(RECORD), callRecorder(refuse)));
        require(recorder.count() == 0, "the call before it is undone");
    }

    function test_execute_RevertWhen_aCallFailsWithoutAWord() public {
        bytes memory fail = abi.encodeCall(Recorder.fail, ());
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallFailed.selector, 1));
        account.execute(batch(callRecorder(RECORD), callRecorder(fail)));
        require(recorder.count() == 0, "the call before it is undone");
    }

    function test_execute_RevertWhen_theAccountCannotPayTheValue() public {
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallFailed.selector, 0));
        account.execute(batch(BatchExecutor.Call(address(recorder), 11 ether, type(uint256).max, RECORD)));
    }

    function testFuzz_execute_givesACallItsGasLimit(uint256 gasLimit) public {
        gasLimit = 100_000 + (gasLimit % 1_000_000);
        executeBatch(batch(callRecorder(RECORD, gasLimit)));
        // What `record` reads is what is left after the dispatch to it.
        require(recorder.lastGas() < gasLimit && recorder.lastGas() > gasLimit - 500, "the limit, and no less");
    }

    function test_execute_RevertWhen_aCallBurnsMoreThanItsLimit() public {
        bytes memory burn = abi.encodeCall(Recorder.burn, (100_000));
        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallFailed.selector, 1));
        account.execute(batch(callRecorder(RECORD), callRecorder(burn, 90_000)));
        require(recorder.count() == 0, "the call before it is undone");

        executeBatch(batch(callRecorder(burn, 140_000)));
        require(recorder.count() == 1, "a limit that suffices does");
    }

    /// @dev `gas` and EIP-150: a limit just above what can be given fails the call, even one that burns nothing.
    function testFuzz_execute_RevertWhen_theLimitCannotBeGivenAnyMore(uint256 gasLimit) public {
        gasLimit = 1_000_000 + (gasLimit % 10_000_000);
        BatchExecutor.Call[] memory calls = batch(callRecorder(RECORD), callRecorder(RECORD, gasLimit));

        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.GasLimitNotAvailable.selector, 1, gasLimit));
        account.execute{gas: gasLimit + gasLimit / 64}(calls);
        require(recorder.count() == 0, "the call before it is undone");

        vm.prank(address(account));
        account.execute{gas: gasLimit + gasLimit / 63 + 160_000}(calls);
        require(recorder.count() == 2, "with enough gas both are made");
        require(recorder.lastGas() > gasLimit - 500, "and the limit is given whole");
    }

    function test_execute_givesACallWithoutGasWhereItsLimitIsZero() public {
        address stranger = address(0xbeef);
        executeBatch(batch(BatchExecutor.Call(stranger, 1 ether, 0, "")));
        require(stranger.balance == 1 ether, "an account needs no gas to be paid");

        vm.prank(address(account));
        vm.expectRevert(abi.encodeWithSelector(BatchExecutor.CallFailed.selector, 0));
        account.execute(batch(callRecorder(RECORD, 0)));
    }

    function test_execute_doesTheSameAfterASnapshotWasReverted() public {
        uint256 snapshot = vm.snapshotState();
        executeBatch(batch(callRecorder(RECORD)));
        require(vm.revertToState(snapshot) && recorder.count() == 0, "the batch is undone");
        executeBatch(batch(callRecorder(RECORD)));
        require(recorder.count() == 1, "and can be executed again");
    }
}
