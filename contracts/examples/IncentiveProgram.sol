// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyOnce} from "../VerifyOnce.sol";

/// @title IncentiveProgram
/// @notice Example of a claim: everyone with more than 1000 followers may enrol, once per person.
contract IncentiveProgram is VerifyOnce {
    /// @notice A wallet was enrolled for the identity.
    event Enrolled(address indexed user, bytes32 indexed identityHash);

    /// @notice The identity is enrolled already, from this or another wallet.
    error AlreadyEnrolled();

    constructor(address registry_) VerifyOnce(registry_) {}

    /// @notice Enrols the caller.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    function enroll(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        emit Enrolled(msg.sender, identityHash);
    }

    function provider() external pure override returns (string memory) {
        return "microblog";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers", "gt", "1000");
    }

    function _revertIdentityUsed(bytes32) internal pure override {
        revert AlreadyEnrolled();
    }
}
