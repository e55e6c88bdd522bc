// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyOnce} from "@hardhat-identity/contracts/VerifyOnce.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// @title Poll
/// @notice One question, yes or no, and one vote per person, behind a proxy that its owner can upgrade.
/// @dev The policy must stay the same in every version.
contract Poll is VerifyOnce, OwnableUpgradeable, UUPSUpgradeable {
    /// @notice How many people voted yes.
    uint256 public yes;

    /// @notice How many people voted no.
    uint256 public no;

    // In storage: an immutable belongs to the implementation, and would move with each upgrade.
    uint256 private _openedAt;

    /// @notice A person voted.
    event Voted(bytes32 indexed identityHash, bool support);

    /// @param registry_ The deployed registry; each version is deployed with the same one.
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address registry_) VerifyOnce(registry_) {
        _disableInitializers();
    }

    /// @notice Opens the poll.
    /// @param owner_ The account that can upgrade the poll.
    function initialize(address owner_) external initializer {
        __Ownable_init(owner_);
        _openedAt = block.number;
    }

    /// @notice Casts the caller's vote.
    /// @param support Yes or no.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    function vote(bool support, bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
        if (support) ++yes;
        else ++no;
        emit Voted(identityHash, support);
    }

    function provider() external pure override returns (string memory) {
        return "microblog";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers", "gt", "1000");
    }

    function cutoffBlock() external view override returns (uint256) {
        return _openedAt;
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}
