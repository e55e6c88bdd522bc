// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @dev A claim that one signer, fixed at deployment, has signed for a wallet and an identity, as projects write it
/// themselves. There is no list of signers, and no policy in the signed data.
contract SignatureClaim is EIP712 {
    bytes32 private constant CLAIM_TYPEHASH = keccak256("Claim(address user,bytes32 identityHash,uint40 expiration)");

    address private immutable _signer;

    mapping(bytes32 identityHash => bool) public claimed;

    error AlreadyClaimed();
    error Expired();
    error NotSigned();

    constructor(address signer) EIP712("SignatureClaim", "1") {
        _signer = signer;
    }

    function claim(bytes32 identityHash, uint40 expiration, bytes calldata signature) public virtual {
        if (block.timestamp > expiration) revert Expired();
        if (claimed[identityHash]) revert AlreadyClaimed();
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(CLAIM_TYPEHASH, msg.sender, identityHash, expiration)));
        if (ECDSA.recover(digest, signature) != _signer) revert NotSigned();
        claimed[identityHash] = true;
    }
}

/// @dev The same claim, which also mints a token.
contract SignatureMint is SignatureClaim, ERC721 {
    uint256 private _lastTokenId;

    constructor(address signer) SignatureClaim(signer) ERC721("Signature Mint", "MINT") {}

    function claim(bytes32 identityHash, uint40 expiration, bytes calldata signature) public override {
        super.claim(identityHash, expiration, signature);
        _safeMint(msg.sender, ++_lastTokenId);
    }
}
