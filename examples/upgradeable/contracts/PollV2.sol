// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Poll} from "./Poll.sol";

/// @title PollV2
/// @notice The next version: people may also abstain.
/// @dev Has no initializer of its own: what is new begins at zero, and the first version has set the rest.
/// @custom:oz-upgrades-from Poll
/// @custom:oz-upgrades-unsafe-allow missing-initializer
contract PollV2 is Poll {
    /// @notice How many people abstained.
    uint256 public abstained;

    /// @notice A person abstained.
    event Abstained(bytes32 indexed identityHash);

    /// @param registry_ The deployed registry, the same as before.
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address registry_) Poll(registry_) {}

    /// @notice Counts the caller as abstaining, in place of a vote.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    function abstain(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        ++abstained;
        emit Abstained(identityHash);
    }
}
