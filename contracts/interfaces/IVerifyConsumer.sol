// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISignerRegistry} from "./ISignerRegistry.sol";

/// @title A contract that admits verified identities
/// @notice What the signer service and the registry read from a consumer.
interface IVerifyConsumer {
    /// @notice One requirement on the credential, such as `{"followers", "gt", "1000"}`.
    /// @param name The condition's name in the provider's catalogue.
    /// @param op One of `eq`, `gt`, `gte`, `lt`, `lte`, `in`.
    /// @param value What to compare with: a canonical decimal integer, `true` or `false`, or any text.
    struct Condition {
        string name;
        string op;
        string value;
    }

    /// @notice The registry that checks this contract's verifications.
    function registry() external view returns (ISignerRegistry);

    /// @notice The provider of the credential. Must never change: see {conditions}.
    function provider() external view returns (string memory);

    /// @notice The conditions that the credential must meet, all of them. Must never change.
    /// @dev Provider and conditions are part of the policy hash. A change voids every outstanding verification, and breaks
    /// the promise under which earlier identities were admitted.
    function conditions() external view returns (Condition[] memory);

    /// @notice The signer service refuses credentials last authenticated before this block; 0 for no cutoff.
    /// @dev Not part of the policy hash; may change at any time.
    function cutoffBlock() external view returns (uint256);
}
