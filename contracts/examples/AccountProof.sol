// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyOnce} from "../VerifyOnce.sol";

/// @title AccountProof
/// @notice Example of a condition that other contracts build on: an account at one provider belongs to one wallet. Extend it
/// with `provider()` and `conditions()`, once for each provider.
abstract contract AccountProof is VerifyOnce {
    /// @notice Whether a wallet has proven an account here.
    mapping(address wallet => bool) public hasProven;

    /// @notice A wallet proved an account.
    event AccountProven(address indexed wallet);

    constructor(address registry_) VerifyOnce(registry_) {}

    /// @notice Proves an account for the calling wallet. No other wallet can use that account here.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    function prove(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        hasProven[msg.sender] = true;
        emit AccountProven(msg.sender);
    }
}
