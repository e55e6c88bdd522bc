// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title Intruder
/// @notice The contract that attacks of `identity attack` call from: a router, a caller without code yet (its constructor),
/// and a receiver that calls back once.
contract Intruder {
    address private _target;
    bytes private _callback;
    uint256 private _price;

    /// @param target Called at once, while this contract has no code; zero for no call.
    /// @param data The call data.
    constructor(address target, bytes memory data) payable {
        if (target != address(0)) _call(target, data, msg.value);
    }

    /// @notice Ether leads to the call back, too.
    receive() external payable {
        _callBack();
    }

    /// @notice Makes the prepared call when a contract first calls back, such as a token or consumer. Answers with the call's
    /// selector, which receivers of ERC-721 and ERC-1155 tokens must do.
    fallback() external payable {
        _callBack();
        bytes32 answer = bytes32(msg.sig);
        assembly ("memory-safe") {
            mstore(0, answer)
            return(0, 32)
        }
    }

    /// @notice Calls a contract. With `callback`, the next call that comes in leads to that call, once, at a price in wei.
    function attack(address target, bytes calldata data, bytes calldata callback, uint256 price) external payable {
        (_callback, _price) = (callback, price);
        if (callback.length > 0) _target = target;
        _call(target, data, msg.value);
        _target = address(0);
    }

    function _callBack() private {
        address target = _target;
        if (target == address(0)) return;
        _target = address(0);
        // Most consumers refuse it, which is no failure of this call.
        (bool success, ) = target.call{value: _price}(_callback);
        success;
    }

    function _call(address target, bytes memory data, uint256 value) private {
        (bool success, bytes memory answer) = target.call{value: value}(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }
}
