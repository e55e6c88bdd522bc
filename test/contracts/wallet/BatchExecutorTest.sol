// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Recorder} from "../../../contracts/testing/Recorder.sol";
import {BatchExecutor} from "../../../contracts/wallet/BatchExecutor.sol";

/// @dev The cheatcodes that these tests use.
interface Vm {
    function addr(uint256 key) external pure returns (address);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function etch(address target, bytes calldata code) external;
    function deal(address target, uint256 balance) external;
    function prank(address sender) external;
    function expectRevert(bytes calldata data) external;
    function snapshotState() external returns (uint256 id);
    function revertToState(uint256 id) external returns (bool);
    function assume(bool condition) external pure;
}

/// @dev An account with a key that delegates to an executor, as after an upgrade.
abstract contract BatchExecutorTest {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    uint256 internal constant KEY = uint256(keccak256("the account's key"));

    BatchExecutor internal executor;
    BatchExecutor internal account;
    Recorder internal recorder;

    function setUp() public virtual {
        executor = new BatchExecutor();
        recorder = new Recorder();
        address delegating = vm.addr(KEY);
        vm.etch(delegating, bytes.concat(hex"ef0100", bytes20(address(executor))));
        vm.deal(delegating, 10 ether);
        account = BatchExecutor(payable(delegating));
    }

    /// @dev As the account's own transaction to itself.
    function executeBatch(BatchExecutor.Call[] memory calls) internal {
        vm.prank(address(account));
        account.execute(calls);
    }

    function batch(BatchExecutor.Call memory a) internal pure returns (BatchExecutor.Call[] memory calls) {
        calls = new BatchExecutor.Call[](1);
        calls[0] = a;
    }

    function batch(
        BatchExecutor.Call memory a,
        BatchExecutor.Call memory b
    ) internal pure returns (BatchExecutor.Call[] memory calls) {
        calls = new BatchExecutor.Call[](2);
        (calls[0], calls[1]) = (a, b);
    }

    /// @dev A call to the recorder without value and limit.
    function callRecorder(bytes memory data) internal view returns (BatchExecutor.Call memory) {
        return BatchExecutor.Call(address(recorder), 0, type(uint256).max, data);
    }

    function callRecorder(bytes memory data, uint256 gasLimit) internal view returns (BatchExecutor.Call memory) {
        return BatchExecutor.Call(address(recorder), 0, gasLimit, data);
    }
}
