// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";

/// @dev A claim for the wallets of a fixed list, as in an airdrop.
contract MerkleClaim {
    bytes32 private immutable _root;

    mapping(address wallet => bool) public claimed;

    error AlreadyClaimed();
    error NotListed();

    constructor(bytes32 root) {
        _root = root;
    }

    function claim(bytes32[] calldata proof) external {
        if (claimed[msg.sender]) revert AlreadyClaimed();
        bytes32 leaf = keccak256(bytes.concat(keccak256(abi.encode(msg.sender))));
        if (!MerkleProof.verifyCalldata(proof, _root, leaf)) revert NotListed();
        claimed[msg.sender] = true;
    }
}
