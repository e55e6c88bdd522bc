// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title BoundedCalls
/// @notice Makes calls one after the other, each with a gas limit and a limit on what is kept of its answer.
/// @dev Never deployed: the signer service puts the code at an address that nobody owns, by `eth_call` with a state
/// override. A hostile contract's answer then costs a bounded amount, the same on every node.
contract BoundedCalls {
    struct Call {
        address target;
        /// Whether later calls see its changes; otherwise it is a static call.
        bool changesState;
        /// Whether to skip the later calls if it fails.
        bool required;
        uint256 gasLimit;
        /// How many bytes of the answer are kept.
        uint256 sizeLimit;
        bytes data;
    }

    struct Answer {
        /// Whether there was code at the target before the call.
        bool hasCode;
        bool success;
        /// Whether it failed by using up its gas, as a halt does and a revert does not.
        bool exhausted;
        /// How many bytes were answered, or reverted with.
        uint256 size;
        /// The first of them.
        bytes data;
    }

    /// @notice Makes the calls in their order, up to a required one that fails. The answer to a call that was not made
    /// is a failure without data.
    function execute(Call[] calldata calls) external returns (Answer[] memory answers) {
        answers = new Answer[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            answers[i] = _execute(calls[i]);
            if (calls[i].required && !answers[i].success) break;
        }
    }

    function _execute(Call calldata call_) private returns (Answer memory answer) {
        (address target, uint256 gasLimit, uint256 sizeLimit) = (call_.target, call_.gasLimit, call_.sizeLimit);
        bool changesState = call_.changesState;
        bytes memory input = call_.data;
        bool success;
        uint256 size;
        bytes memory data;

        answer.hasCode = target.code.length > 0;
        uint256 gasBefore = gasleft();
        // Solidity's own calls copy the whole answer, at the caller's cost.
        assembly ("memory-safe") {
            switch changesState
            case 0 {
                success := staticcall(gasLimit, target, add(input, 0x20), mload(input), 0, 0)
            }
            default {
                success := call(gasLimit, target, 0, add(input, 0x20), mload(input), 0, 0)
            }
        }
        answer.exhausted = !success && gasBefore - gasleft() >= gasLimit;
        assembly ("memory-safe") {
            size := returndatasize()
            let kept := size
            if gt(kept, sizeLimit) {
                kept := sizeLimit
            }
            data := mload(0x40)
            mstore(data, kept)
            returndatacopy(add(data, 0x20), 0, kept)
            mstore(0x40, and(add(add(data, kept), 0x3f), not(0x1f)))
        }
        (answer.success, answer.size, answer.data) = (success, size, data);
    }
}
