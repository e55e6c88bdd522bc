// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Airdrop} from "../../../contracts/examples/Airdrop.sol";
import {VerifyOnce} from "../../../contracts/VerifyOnce.sol";
import {TestIdentity} from "../../../contracts/testing/TestIdentity.sol";
import {RegistryFixture} from "../fixtures/RegistryFixture.sol";
import {vm} from "../fixtures/Vm.sol";

contract AirdropTest is RegistryFixture {
    Airdrop private airdrop;

    function setUp() public override {
        super.setUp();
        airdrop = new Airdrop(address(registry));
    }

    function test_claim_PaysThePersonOnceWhateverTheWallet() public {
        TestIdentity.Verification memory v = _mint(alice, "alice");
        _claim(alice, v);
        TestIdentity.Verification memory elsewhere = _mint(bob, "alice");
        vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
        _claim(bob, elsewhere);
        vm.assertEq(airdrop.balanceOf(alice), 100 ether);
        vm.assertEq(airdrop.balanceOf(bob), 0);
        vm.assertEq(airdrop.totalSupply(), airdrop.AMOUNT());
    }

    function _mint(address user, string memory name) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(address(airdrop), user, name, EXPIRATION);
    }

    function _claim(address user, TestIdentity.Verification memory v) private {
        vm.prank(user);
        airdrop.claim(v.identityHash, v.expiration, v.signature);
    }
}
