// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title BatchExecutor
/// @notice The code that an account of the development wallet delegates to (EIP-7702), so that it executes a batch of
/// calls all or nothing. The account stays what it was: it receives ether and tokens, and its own key signs for it.
/// @dev Has neither storage nor immutables: nothing is left in the account, and the code can be placed at any address.
contract BatchExecutor is IERC1271, ERC721Holder, ERC1155Holder {
    /// @notice One call of a batch.
    /// @param to The recipient.
    /// @param value The amount, in wei.
    /// @param gasLimit The gas that the call is given and cannot exceed; {NO_GAS_LIMIT} to give it what there is.
    /// @param data The call data.
    struct Call {
        address to;
        uint256 value;
        uint256 gasLimit;
        bytes data;
    }

    /// @notice The `gasLimit` of a call that has none.
    uint256 public constant NO_GAS_LIMIT = type(uint256).max;

    // The most that the call itself costs before EIP-150 takes its 64th: a cold account (2,600) that is delegated to
    // another (2,600), or a value (9,000) for an account that does not exist yet (25,000).
    uint256 private constant CALL_COST = 40_000;

    /// @notice Only the account itself may execute calls.
    /// @param caller The address that called.
    error CallerNotAccount(address caller);

    /// @notice The call failed without saying why.
    /// @param index The call's place in the batch, from 0.
    error CallFailed(uint256 index);

    /// @notice Too little gas is left to give the call its limit.
    /// @param index The call's place in the batch, from 0.
    /// @param gasLimit The limit that was asked for.
    error GasLimitNotAvailable(uint256 index, uint256 gasLimit);

    /// @notice Ether arrives as it does at any account, with or without data.
    receive() external payable {}

    /// @notice Accepts any other call and does nothing, as an account without code does.
    fallback() external payable {}

    /// @notice Executes the calls in order, all or nothing. Reverts with the first failing call's reason, or {CallFailed}
    /// if it gave none.
    /// @dev A call may be one to the account itself. A called contract cannot call back in, because it is not the
    /// account.
    /// @param calls The calls; may be empty.
    function execute(Call[] calldata calls) external {
        if (msg.sender != address(this)) revert CallerNotAccount(msg.sender);
        for (uint256 i = 0; i < calls.length; ++i) {
            _call(i, calls[i]);
        }
    }

    /// @inheritdoc IERC1271
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(hash, signature);
        bool valid = problem == ECDSA.RecoverError.NoError && signer == address(this);
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function _call(uint256 index, Call calldata call_) private {
        (address to, uint256 value, uint256 gasLimit) = (call_.to, call_.value, call_.gasLimit);
        // Copied first: memory that grows must not eat the gas that the check below has counted.
        bytes memory data = call_.data;
        if (gasLimit != NO_GAS_LIMIT && !_canGive(gasLimit)) revert GasLimitNotAvailable(index, gasLimit);
        bool success;
        assembly ("memory-safe") {
            // A limit above what can be given is lowered without a word (EIP-150), hence the check.
            success := call(gasLimit, to, value, add(data, 0x20), mload(data), 0x00, 0x00)
            if and(iszero(success), gt(returndatasize(), 0x00)) {
                let reason := mload(0x40)
                returndatacopy(reason, 0x00, returndatasize())
                revert(reason, returndatasize())
            }
        }
        if (!success) revert CallFailed(index);
    }

    /// @dev Errs on the side of no, by the part of {CALL_COST} that the call does not need.
    function _canGive(uint256 gasLimit) private view returns (bool) {
        uint256 left = gasleft();
        if (left < CALL_COST) return false;
        left -= CALL_COST;
        return left - left / 64 >= gasLimit;
    }
}
