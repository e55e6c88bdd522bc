// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {TestIdentity} from "@hardhat-identity/contracts/testing/TestIdentity.sol";
import {VerifyOnceTest} from "@hardhat-identity/contracts/testing/VerifyOnceTest.sol";
import {Airdrop} from "../contracts/Airdrop.sol";

/// @notice Inherits the tests of every consumer: it refuses invalid verifications, and counts each person once.
contract AirdropTest is VerifyOnceTest {
    Airdrop private deployed;

    function setUp() public {
        deployed = new Airdrop(address(TestIdentity.deployRegistry()));
    }

    function consumer() internal view override returns (address) {
        return address(deployed);
    }

    /// @dev The user makes this call.
    function claim(TestIdentity.Verification memory v, address) internal override {
        deployed.claim(v.identityHash, v.expiration, v.signature);
    }
}
