// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

import {AccountProof} from "./AccountProof.sol";

/// @title JointAirdrop
/// @notice Example of a claim for which a person needs an account at each of several providers.
/// @dev Every claim uses up an account at every provider, so a person claims as often as they have accounts at the provider
/// at which they have fewest. A claim for an account at any one of them would admit them once for each provider: hashes of
/// different consumers cannot be compared.
contract JointAirdrop is ERC20 {
    AccountProof[] private _proofs;

    /// @notice Whether a wallet has claimed.
    mapping(address wallet => bool) public hasClaimed;

    /// @notice The wallet has not proven an account at this contract.
    error NotProven(address proof);

    /// @notice The wallet has claimed before.
    error AlreadyClaimed(address wallet);

    /// @notice The contract was to be deployed without a proof: everybody could claim, from any number of wallets.
    error NoProofs();

    /// @param proofs_ One for each provider, at least one. Reverts with {NoProofs}.
    constructor(AccountProof[] memory proofs_) ERC20("Joint Airdrop", "JOINT") {
        if (proofs_.length == 0) revert NoProofs();
        _proofs = proofs_;
    }

    /// @notice The contracts at which a wallet must have proven an account.
    function proofs() external view returns (AccountProof[] memory) {
        return _proofs;
    }

    /// @notice Pays 100 tokens to the caller. Reverts with {NotProven} or {AlreadyClaimed}.
    function claim() external {
        if (hasClaimed[msg.sender]) revert AlreadyClaimed(msg.sender);
        for (uint256 i = 0; i < _proofs.length; ++i) {
            if (!_proofs[i].hasProven(msg.sender)) revert NotProven(address(_proofs[i]));
        }
        hasClaimed[msg.sender] = true;
        _mint(msg.sender, 100 ether);
    }
}
