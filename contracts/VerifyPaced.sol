// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {VerifyOnce} from "./VerifyOnce.sol";

/// @title VerifyPaced
/// @notice A `VerifyOnce` that admits a bounded number of claims in each window, which bounds the loss if a signer's key
/// leaks. Declare `pace()`.
/// @dev A holder of the key can also use up every window until the signer is removed. So can a single person where
/// anybody can open rounds: a person's claims count once for each round. Keeps its count in namespaced storage (ERC-7201),
/// so it can be added in an upgrade.
abstract contract VerifyPaced is VerifyOnce {
    /// @notice The window is used up.
    /// @param retryAt The first second, in unix time, of the next window.
    error PaceExceeded(uint256 retryAt);

    /// @notice The contract's window is zero seconds long, so it admits nobody.
    error PaceWithoutWindow();

    /// @custom:storage-location erc7201:hardhat-identity.storage.VerifyPaced
    struct VerifyPacedStorage {
        uint128 window;
        uint128 admitted;
    }

    // keccak256(abi.encode(uint256(keccak256("hardhat-identity.storage.VerifyPaced")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant VERIFY_PACED_STORAGE = 0xec5b7f5c8f09040abdc4552baa0ae0196e04459ce60babc5dcd16e13b68bed00;

    /// @dev Writes to the slot of the count, so that the first claim does not pay for a new slot. Behind a proxy, it does.
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address registry_) VerifyOnce(registry_) {
        _verifyPacedStorage().window = type(uint128).max;
    }

    /// @notice How many claims are admitted in each window, in all rounds together.
    /// @return most The number of claims: of people, if the contract has no rounds.
    /// @return window The window's length in seconds, not zero. Windows begin at multiples of it in unix time.
    function pace() public view virtual returns (uint256 most, uint256 window);

    /// @dev Counts only verified claims. An override must call `super`.
    function _afterIdentityUsed(bytes32 round, bytes32 identityHash) internal virtual override {
        super._afterIdentityUsed(round, identityHash);
        (uint256 most, uint256 length) = pace();
        if (length == 0) revert PaceWithoutWindow();
        uint128 window = SafeCast.toUint128(block.timestamp / length);
        VerifyPacedStorage storage $ = _verifyPacedStorage();
        uint128 admitted = $.window == window ? $.admitted : 0;
        if (admitted >= most) revert PaceExceeded((uint256(window) + 1) * length);
        $.window = window;
        $.admitted = admitted + 1;
    }

    function _verifyPacedStorage() private pure returns (VerifyPacedStorage storage $) {
        assembly ("memory-safe") {
            $.slot := VERIFY_PACED_STORAGE
        }
    }
}
