// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BatchExecutor} from "../wallet/BatchExecutor.sol";

/// @dev What batches call: remembers who called with what, and fails in every way that a call can.
contract Recorder {
    uint256 public count;
    address public lastSender;
    uint256 public lastValue;
    uint256 public lastGas;

    event Recorded(address indexed sender, uint256 value);

    error Refused(uint256 reason);

    function record() external payable {
        lastGas = gasleft();
        lastSender = msg.sender;
        lastValue = msg.value;
        ++count;
        emit Recorded(msg.sender, msg.value);
    }

    /// @dev Succeeds only after another call.
    function follow() external payable {
        if (count == 0) revert Refused(0);
        ++count;
    }

    function refuse(uint256 reason) external payable {
        ++count;
        revert Refused(reason);
    }

    function fail() external payable {
        ++count;
        assembly ("memory-safe") {
            revert(0, 0)
        }
    }

    function burn(uint256 gasToBurn) external payable {
        ++count;
        uint256 start = gasleft();
        while (start - gasleft() < gasToBurn) {}
    }

    /// @dev Calls back the account that is calling.
    function reenter(BatchExecutor.Call[] calldata calls) external payable {
        BatchExecutor(payable(msg.sender)).execute(calls);
    }
}
