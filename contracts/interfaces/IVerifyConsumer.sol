// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ISignerRegistry} from "./ISignerRegistry.sol";

/// @title A contract that admits verified identities
interface IVerifyConsumer {
    /// @notice One requirement on the credential, such as `{"followers", "gt", "1000"}`: a name in the provider's catalog;
    /// `eq`, `gt`, `gte`, `lt`, `lte` or `in` (reserved); and a canonical decimal integer, `true`, `false` or any text.
    struct Condition {
        string name;
        string op;
        string value;
    }

    /// @notice The registry that checks this contract's verifications.
    function registry() external view returns (ISignerRegistry);

    /// @notice The provider of the credential. Must never change.
    function provider() external view returns (string memory);

    /// @notice All conditions that the credential must meet. Must never change: a change of provider or conditions voids
    /// every outstanding verification.
    function conditions() external view returns (Condition[] memory);

    /// @notice The signer service refuses credentials last authenticated before this block; 0 for no cutoff. Not part of the
    /// policy hash.
    function cutoffBlock() external view returns (uint256);
}
