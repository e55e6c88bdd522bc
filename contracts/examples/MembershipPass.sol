// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

import {VerifyOnce} from "../VerifyOnce.sol";

/// @title MembershipPass
/// @notice Example of a mint: every paying member of the exchange gets one token, once per person.
/// @dev The token can be transferred: what counts once is the mint, not the holding.
contract MembershipPass is ERC721, VerifyOnce {
    uint256 private _lastTokenId;

    constructor(address registry_) ERC721("Membership Pass", "PASS") VerifyOnce(registry_) {}

    /// @notice Mints the caller's pass.
    /// @param identityHash The verification's identity.
    /// @param expiration The verification's expiration, in unix seconds.
    /// @param signature The verification's signature.
    /// @return tokenId The new token; the first is 1.
    function mint(
        bytes32 identityHash,
        uint40 expiration,
        bytes calldata signature
    ) external returns (uint256 tokenId) {
        _verifyOnce(identityHash, expiration, signature);
        tokenId = ++_lastTokenId;
        // Calls a receiver that is a contract; its identity is used up by now.
        _safeMint(msg.sender, tokenId);
    }

    function provider() external pure override returns (string memory) {
        return "exchange";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("exchange_membership_active", "eq", "true");
    }
}
