// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IVerifyConsumer} from "./interfaces/IVerifyConsumer.sol";

/// @title EncodedPolicy
/// @notice Base of a consumer whose policy is encoded once, when it is deployed, and not in every claim. Extend it beside
/// `VerifyOnce` or `VerifyConsumer`, and declare `_provider()` and `_conditions()` instead of the getters, which answer the
/// same, byte for byte.
/// @dev Keeps no storage: the texts are immutables, so it can stand behind a proxy. Up to four conditions are kept, each of
/// whose texts has 1 to 31 bytes, as the provider; any other policy is encoded when it is asked for, as plain getters do.
abstract contract EncodedPolicy is IVerifyConsumer {
    /// @dev Where free memory begins in a getter, or 0 where the policy is not kept. Solidity begins at 0x80, unless the
    /// compiler keeps variables there, for which the stack was too small.
    uint256 private immutable _start;

    uint256 private immutable _count;

    // One byte of length and the text: what an encoded text has from the last byte of its length on.
    bytes32 private immutable _providerText;
    bytes32 private immutable _name0;
    bytes32 private immutable _op0;
    bytes32 private immutable _value0;
    bytes32 private immutable _name1;
    bytes32 private immutable _op1;
    bytes32 private immutable _value1;
    bytes32 private immutable _name2;
    bytes32 private immutable _op2;
    bytes32 private immutable _value2;
    bytes32 private immutable _name3;
    bytes32 private immutable _op3;
    bytes32 private immutable _value3;

    constructor() {
        string memory source = _provider();
        Condition[] memory list = _conditions();
        bool fits = _fits(source) && list.length > 0 && list.length <= 4;
        for (uint256 i = 0; fits && i < list.length; ++i) {
            fits = _fits(list[i].name) && _fits(list[i].op) && _fits(list[i].value);
        }
        if (!fits) list = new Condition[](0);
        _start = fits ? 0x80 : 0;
        _count = list.length;
        _providerText = fits ? _pack(source) : bytes32(0);
        (_name0, _op0, _value0) = _packCondition(list, 0);
        (_name1, _op1, _value1) = _packCondition(list, 1);
        (_name2, _op2, _value2) = _packCondition(list, 2);
        (_name3, _op3, _value3) = _packCondition(list, 3);
    }

    /// @inheritdoc IVerifyConsumer
    function provider() external view returns (string memory text) {
        if (_isKept()) {
            bytes32 kept = _providerText;
            assembly ("memory-safe") {
                mstore(0x80, 0x20)
                mstore(0xbf, kept)
                return(0x80, 0x60)
            }
        }
        text = _provider();
    }

    /// @inheritdoc IVerifyConsumer
    function conditions() external view returns (Condition[] memory list) {
        if (_isKept()) _returnConditions();
        list = _conditions();
    }

    /// @dev The provider of the credential; see {IVerifyConsumer-provider}.
    function _provider() internal pure virtual returns (string memory);

    /// @dev What the credential must meet; see {IVerifyConsumer-conditions}.
    function _conditions() internal pure virtual returns (Condition[] memory);

    /// @dev Ends the call with the encoded conditions.
    function _returnConditions() private view {
        uint256 count = _count;
        // The conditions have fixed places, whatever their number. What is before them, the offset of the array, its length
        // and the offsets of its elements, ends where the first begins.
        assembly ("memory-safe") {
            mstore(0x40, 0x5c0)
        }
        _store(0x140, _name0, _op0, _value0);
        if (count == 1) {
            assembly ("memory-safe") {
                mstore(0xe0, 0x20)
                mstore(0x100, 1)
                mstore(0x120, 0x20)
                return(0xe0, 0x180)
            }
        }
        _store(0x260, _name1, _op1, _value1);
        if (count == 2) {
            assembly ("memory-safe") {
                mstore(0xc0, 0x20)
                mstore(0xe0, 2)
                mstore(0x100, 0x40)
                mstore(0x120, 0x160)
                return(0xc0, 0x2c0)
            }
        }
        _store(0x380, _name2, _op2, _value2);
        if (count == 3) {
            assembly ("memory-safe") {
                mstore(0xa0, 0x20)
                mstore(0xc0, 3)
                mstore(0xe0, 0x60)
                mstore(0x100, 0x180)
                mstore(0x120, 0x2a0)
                return(0xa0, 0x400)
            }
        }
        _store(0x4a0, _name3, _op3, _value3);
        assembly ("memory-safe") {
            mstore(0x80, 0x20)
            mstore(0xa0, 4)
            mstore(0xc0, 0x80)
            mstore(0xe0, 0x1a0)
            mstore(0x100, 0x2c0)
            mstore(0x120, 0x3e0)
            return(0x80, 0x540)
        }
    }

    /// @dev Writes a condition to memory that nothing was written to before: zeros stay what they are.
    function _store(uint256 place, bytes32 name, bytes32 op, bytes32 value) private pure {
        assembly ("memory-safe") {
            mstore(place, 0x60)
            mstore(add(place, 0x20), 0xa0)
            mstore(add(place, 0x40), 0xe0)
            mstore(add(place, 0x7f), name)
            mstore(add(place, 0xbf), op)
            mstore(add(place, 0xff), value)
        }
    }

    /// @dev Whether the policy is kept, and memory from 0x80 on is free to write it to.
    function _isKept() private view returns (bool) {
        uint256 free;
        assembly ("memory-safe") {
            free := mload(0x40)
        }
        return free == _start;
    }

    function _fits(string memory text) private pure returns (bool) {
        return bytes(text).length > 0 && bytes(text).length <= 31;
    }

    function _packCondition(
        Condition[] memory list,
        uint256 i
    ) private pure returns (bytes32 name, bytes32 op, bytes32 value) {
        if (i < list.length) (name, op, value) = (_pack(list[i].name), _pack(list[i].op), _pack(list[i].value));
    }

    function _pack(string memory text) private pure returns (bytes32 packed) {
        packed = bytes32(bytes(text).length << 248) | (bytes32(bytes(text)) >> 8);
    }
}
