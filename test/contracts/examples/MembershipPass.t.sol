// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {MembershipPass} from "../../../contracts/examples/MembershipPass.sol";
import {TestIdentity} from "../../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../../contracts/VerifyOnce.sol";
import {RegistryFixture} from "../fixtures/RegistryFixture.sol";
import {vm} from "../fixtures/Vm.sol";

contract MembershipPassTest is RegistryFixture {
    MembershipPass private pass;

    function setUp() public override {
        super.setUp();
        pass = new MembershipPass(address(registry));
    }

    function test_mint_GivesEveryPersonTheNextToken() public {
        vm.assertEq(_mint(alice, "alice"), 1);
        vm.assertEq(_mint(bob, "bob"), 2);
        vm.assertEq(pass.ownerOf(1), alice);
        vm.assertEq(pass.ownerOf(2), bob);
    }

    function test_mint_RevertWhen_ThePersonHasMintedEvenIfTheTokenIsGone() public {
        _mint(alice, "alice");
        vm.prank(alice);
        pass.transferFrom(alice, bob, 1);
        TestIdentity.Verification memory v = TestIdentity.mint(address(pass), bob, "alice", EXPIRATION);
        vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
        vm.prank(bob);
        pass.mint(v.identityHash, v.expiration, v.signature);
    }

    function test_mint_RevertWhen_TheContractTakesNoTokens() public {
        TestIdentity.Verification memory v = TestIdentity.mint(address(pass), address(this), "alice", EXPIRATION);
        vm.expectRevert(abi.encodeWithSelector(IERC721Errors.ERC721InvalidReceiver.selector, address(this)));
        pass.mint(v.identityHash, v.expiration, v.signature);
        vm.assertTrue(!pass.identityUsed(v.identityHash), "the person can mint with another wallet");
    }

    function _mint(address user, string memory name) private returns (uint256) {
        TestIdentity.Verification memory v = TestIdentity.mint(address(pass), user, name, EXPIRATION);
        vm.prank(user);
        return pass.mint(v.identityHash, v.expiration, v.signature);
    }
}
