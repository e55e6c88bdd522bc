// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {VerifyOnce} from "../VerifyOnce.sol";

/// @title HumanBackedAgents
/// @notice Example of at most three per person: people back the addresses of their agents, and anyone can ask whether an
/// agent has a person behind it, and whether two agents have the same one.
/// @dev Each of a person's slots is a round. A released agent does not free its slot: a person backs three agents, ever.
contract HumanBackedAgents is VerifyOnce {
    /// @notice How many agents one person can back.
    uint256 public constant AGENTS_PER_PERSON = 3;

    /// @notice The wallet whose backing an agent has accepted.
    mapping(address agent => address wallet) public backerOf;

    mapping(address agent => mapping(address wallet => bytes32 human)) private _backings;

    /// @notice A person backs an agent, which has yet to accept.
    event AgentBacked(address indexed agent, address indexed wallet, bytes32 indexed human);

    /// @notice An agent accepted the backing of a wallet.
    event BackerAccepted(address indexed agent, address indexed wallet);

    /// @notice A wallet no longer backs an agent.
    event AgentReleased(address indexed agent, address indexed wallet);

    /// @notice A person has the slots below `AGENTS_PER_PERSON`.
    error SlotNotFound(uint256 slot);

    /// @notice The wallet does not back this agent.
    error NotBacker(address agent, address wallet);

    constructor(address registry_) VerifyOnce(registry_) {}

    /// @notice Backs an agent with the caller's identity. Reverts with {SlotNotFound} or, if the person has
    /// used this slot from any wallet, {IdentityAlreadyUsed}.
    /// @param agent The agent's address. It counts once it has called {accept}.
    /// @param slot An unused slot of this person, from 0.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    function back(
        address agent,
        uint256 slot,
        bytes32 identityHash,
        uint40 expiration,
        bytes calldata signature
    ) external {
        // Without this check, a person could choose new slots, and back any number of agents.
        if (slot >= AGENTS_PER_PERSON) revert SlotNotFound(slot);
        _verifyOnce(bytes32(slot), identityHash, expiration, signature);
        _backings[agent][msg.sender] = identityHash;
        emit AgentBacked(agent, msg.sender, identityHash);
    }

    /// @notice Accepts a wallet as the caller's backer; the caller is the agent. Without this, anyone could back an agent of
    /// somebody else, and be taken for the person behind it.
    /// @param wallet The wallet that called {back} for this agent. Reverts with {NotBacker}.
    function accept(address wallet) external {
        if (_backings[msg.sender][wallet] == 0) revert NotBacker(msg.sender, wallet);
        backerOf[msg.sender] = wallet;
        emit BackerAccepted(msg.sender, wallet);
    }

    /// @notice Takes the caller's backing from an agent.
    /// @param agent The agent's address. Reverts with {NotBacker}.
    function release(address agent) external {
        if (_backings[agent][msg.sender] == 0) revert NotBacker(agent, msg.sender);
        delete _backings[agent][msg.sender];
        if (backerOf[agent] == msg.sender) delete backerOf[agent];
        emit AgentReleased(agent, msg.sender);
    }

    /// @notice The person behind an agent, as this contract knows them; zero if there is none. Count what an agent gets by
    /// this, not by its address.
    function humanOf(address agent) public view returns (bytes32) {
        return _backings[agent][backerOf[agent]];
    }

    /// @notice Whether an agent has a person behind it.
    function isBacked(address agent) external view returns (bool) {
        return humanOf(agent) != 0;
    }

    /// @notice Whether two agents have the same person behind them.
    function sameHuman(address agent, address other) external view returns (bool) {
        return humanOf(agent) != 0 && humanOf(agent) == humanOf(other);
    }

    function provider() external pure override returns (string memory) {
        return "microblog";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("verified", "eq", "true");
    }
}
