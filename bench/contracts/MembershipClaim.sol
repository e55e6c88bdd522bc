// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISemaphore} from "@semaphore-protocol/contracts/interfaces/ISemaphore.sol";

/// @dev A claim by a proof of membership in a group, which reveals the wallet but not the member. Semaphore stores the
/// nullifier, so that each member counts once.
contract MembershipClaim {
    ISemaphore private immutable _semaphore;
    uint256 private immutable _groupId;

    error WrongMessage();
    error WrongScope();

    constructor(ISemaphore semaphore, uint256 groupId) {
        _semaphore = semaphore;
        _groupId = groupId;
    }

    function claim(ISemaphore.SemaphoreProof calldata proof) external {
        if (proof.message != uint160(msg.sender)) revert WrongMessage();
        if (proof.scope != 1) revert WrongScope();
        _semaphore.validateProof(_groupId, proof);
    }
}
