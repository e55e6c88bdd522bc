// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

import {VerifyOnce} from "../VerifyOnce.sol";

/// @notice The part of a policy that MACI and other targets use, by the documentation of Excubiae 0.11, whose package does
/// not export its Solidity.
interface IExcubiaePolicy {
    /// @notice A subject passed.
    event Enforced(address indexed subject, address indexed guarded, bytes evidence);

    /// @notice The target was set.
    event TargetSet(address indexed guarded);

    /// @notice Only the target may ask.
    error TargetOnly();

    /// @notice The target can be set once.
    error TargetAlreadySet();

    /// @notice The kind of policy, by which apps know how to make its evidence.
    function trait() external pure returns (string memory);

    /// @notice Sets the contract that asks this policy.
    function setTarget(address target) external;

    /// @notice Lets a subject pass, or reverts.
    function enforce(address subject, bytes calldata evidence) external;
}

/// @title VerifiedPolicy
/// @notice Example of a policy for MACI and other targets of Excubiae: each person signs up once, with any wallet. Deploy
/// it, deploy the target with its address, and call {setTarget}.
/// @dev The target must name its own caller as the subject, as MACI does: otherwise anyone who sees a verification can spend
/// it for its wallet.
contract VerifiedPolicy is IExcubiaePolicy, VerifyOnce, Ownable {
    /// @notice The target must not be the zero address.
    error ZeroTarget();

    /// @notice The contract that asks this policy; zero until it is set.
    address public guarded;

    constructor(address registry_) VerifyOnce(registry_) Ownable(msg.sender) {}

    /// @notice Sets the target, once. Only the owner can.
    /// @param target The contract that asks this policy. Reverts with {ZeroTarget} if it is the zero address, and with
    /// {TargetAlreadySet} if there is one.
    function setTarget(address target) external onlyOwner {
        if (target == address(0)) revert ZeroTarget();
        if (guarded != address(0)) revert TargetAlreadySet();
        guarded = target;
        emit TargetSet(target);
    }

    /// @notice Counts a person. Reverts with {TargetOnly} unless the target calls.
    /// @param subject The wallet that the verification is for.
    /// @param evidence The verification, as `abi.encode(identityHash, expiration, signature)`.
    function enforce(address subject, bytes calldata evidence) external {
        if (msg.sender != guarded) revert TargetOnly();
        (bytes32 identityHash, uint40 expiration, bytes memory signature) = abi.decode(
            evidence,
            (bytes32, uint40, bytes)
        );
        _verifyOnceFor(subject, 0, identityHash, expiration, signature);
        emit Enforced(subject, msg.sender, evidence);
    }

    function trait() external pure returns (string memory) {
        return "HardhatIdentity";
    }

    function provider() external pure override returns (string memory) {
        return "microblog";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers", "gt", "1000");
    }
}
