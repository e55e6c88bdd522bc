// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Attestation, IEAS} from "@ethereum-attestation-service/eas-contracts/contracts/IEAS.sol";
import {SchemaResolver} from "@ethereum-attestation-service/eas-contracts/contracts/resolver/SchemaResolver.sol";

/// @dev A claim by an attestation that one attester, fixed at deployment, delegates. The wallet sends the attestation,
/// and its resolver makes the claim, so that one transaction is enough.
contract AttestationClaim is SchemaResolver {
    address private immutable _attester;

    mapping(bytes32 identityHash => bool) public claimed;

    error AlreadyClaimed();
    error NotAttester();

    constructor(IEAS eas, address attester) SchemaResolver(eas) {
        _attester = attester;
    }

    function onAttest(Attestation calldata attestation, uint256) internal override returns (bool) {
        if (attestation.attester != _attester) revert NotAttester();
        bytes32 identityHash = abi.decode(attestation.data, (bytes32));
        if (claimed[identityHash]) revert AlreadyClaimed();
        claimed[identityHash] = true;
        return true;
    }

    function onRevoke(Attestation calldata, uint256) internal pure override returns (bool) {
        return false;
    }
}
