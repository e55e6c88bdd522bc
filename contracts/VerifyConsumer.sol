// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";

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

    /// @notice There is no registry at the address, see {ISignerRegistry} for how one is known.
    error InvalidRegistry(address registry);

    /// @param registry_ The deployed registry. Reverts with {InvalidRegistry} where it is anything else.
    constructor(address registry_) {
        if (!_isRegistry(registry_)) revert InvalidRegistry(registry_);
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
        ISignerRegistry registry_ = _registry;
        bytes4 selector = ISignerRegistry.verifyVerification.selector;
        uint256 lastSecond = expiration;
        // What `registry_.verifyVerification(msg.sender, identityHash, expiration, signature)` does, for 190 gas less. The
        // zeros that would fill the last word are not sent: an ABI decoder does not look at them.
        assembly ("memory-safe") {
            let start := mload(0x40)
            mstore(start, selector)
            mstore(add(start, 0x04), caller())
            mstore(add(start, 0x24), identityHash)
            mstore(add(start, 0x44), lastSecond)
            mstore(add(start, 0x64), 0x80)
            mstore(add(start, 0x84), signature.length)
            calldatacopy(add(start, 0xa4), signature.offset, signature.length)
            let accepted := staticcall(gas(), registry_, start, add(0xa4, signature.length), 0x00, 0x00)
            // An address without code accepts everything.
            if iszero(mul(accepted, extcodesize(registry_))) {
                returndatacopy(start, 0x00, returndatasize())
                revert(start, returndatasize())
            }
        }
    }

    /// @dev A verification is refused by a revert and nothing else, so a contract that takes every call in silence, as
    /// many wallets do, would admit everybody. The domain is compared byte for byte, and what a stranger may spend and
    /// return is bounded.
    function _isRegistry(address account) private view returns (bool) {
        // Its name and version, chain and address; no salt, no extensions (EIP-5267).
        bytes memory domain = abi.encode(
            bytes1(0x0f),
            "SignerRegistry",
            "1",
            block.chainid,
            account,
            bytes32(0),
            new uint256[](0)
        );
        bytes memory answer = new bytes(domain.length);
        bytes4 selector = IERC5267.eip712Domain.selector;
        bool answered;
        assembly ("memory-safe") {
            mstore(0x00, selector)
            answered := staticcall(100000, account, 0x00, 0x04, add(answer, 0x20), mload(answer))
            answered := and(answered, eq(returndatasize(), mload(answer)))
        }
        return answered && keccak256(answer) == keccak256(domain);
    }
}
