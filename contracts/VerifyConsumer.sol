// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISignerRegistry} from "./interfaces/ISignerRegistry.sol";
import {ISignerRegistryErrors} from "./interfaces/ISignerRegistryErrors.sol";
import {IVerifyConsumer} from "./interfaces/IVerifyConsumer.sol";

/// @title VerifyConsumer
/// @notice Base of a contract that admits only wallets with a verification. Declare `provider()` and `conditions()`,
/// and call `_verify` where a verification is due.
/// @dev Keeps no storage, so it can stand behind a proxy: the policy is then the proxy's. It does not remember
/// identities: for "one identity counts once" extend `VerifyOnce` instead.
abstract contract VerifyConsumer is IVerifyConsumer, ISignerRegistryErrors {
    ISignerRegistry private immutable _registry;

    /// @notice The address has no code, so it cannot be a registry.
    error InvalidRegistry(address registry);

    /// @param registry_ The deployed registry.
    constructor(address registry_) {
        if (registry_.code.length == 0) revert InvalidRegistry(registry_);
        _registry = ISignerRegistry(registry_);
    }

    /// @inheritdoc IVerifyConsumer
    function registry() public view returns (ISignerRegistry) {
        return _registry;
    }

    /// @inheritdoc IVerifyConsumer
    function cutoffBlock() external view virtual returns (uint256) {
        return 0;
    }

    /// @dev Reverts with an error of {ISignerRegistryErrors} unless the verification is valid for `msg.sender` at this
    /// contract. Only the wallet that it was issued to can spend it, so it cannot be front-run.
    /// @param identityHash The identity to remember; the same for every wallet of one person.
    /// @param expiration The last second, in unix time, at which the verification is valid.
    /// @param signature The signer's signature, 65 bytes, as the signer service returned it.
    function _verify(bytes32 identityHash, uint40 expiration, bytes calldata signature) internal view {
        _registry.verifyVerification(msg.sender, identityHash, expiration, signature);
    }
}
