// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountProof} from "../../../contracts/examples/AccountProof.sol";
import {JointAirdrop} from "../../../contracts/examples/JointAirdrop.sol";
import {TestIdentity} from "../../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../../contracts/VerifyOnce.sol";
import {FollowersProof, MembershipProof} from "../../fixtures/contracts/Proofs.sol";
import {RegistryFixture} from "../fixtures/RegistryFixture.sol";
import {vm} from "../fixtures/Vm.sol";

contract JointAirdropTest is RegistryFixture {
    AccountProof private followers;
    AccountProof private membership;
    JointAirdrop private airdrop;

    function setUp() public override {
        super.setUp();
        followers = new FollowersProof(address(registry));
        membership = new MembershipProof(address(registry));
        AccountProof[] memory proofs = new AccountProof[](2);
        (proofs[0], proofs[1]) = (followers, membership);
        airdrop = new JointAirdrop(proofs);
    }

    function test_claim_PaysAWalletWithAnAccountAtEachProvider() public {
        vm.expectEmit(address(followers));
        emit AccountProof.AccountProven(alice);
        prove(followers, alice, "alice");
        prove(membership, alice, "alice");
        vm.prank(alice);
        airdrop.claim();
        vm.assertEq(airdrop.balanceOf(alice), 100 ether);
        vm.assertEq(airdrop.proofs().length, 2);
    }

    function test_claim_RevertWhen_OneAccountIsMissing() public {
        prove(membership, alice, "alice");
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(JointAirdrop.NotProven.selector, followers));
        airdrop.claim();
        prove(followers, bob, "bob");
        vm.prank(bob);
        vm.expectRevert(abi.encodeWithSelector(JointAirdrop.NotProven.selector, membership));
        airdrop.claim();
    }

    function test_claim_RevertWhen_TheWalletHasClaimed() public {
        test_claim_PaysAWalletWithAnAccountAtEachProvider();
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(JointAirdrop.AlreadyClaimed.selector, alice));
        airdrop.claim();
    }

    function test_constructor_RevertWhen_ThereIsNoProof() public {
        vm.expectRevert(abi.encodeWithSelector(JointAirdrop.NoProofs.selector));
        new JointAirdrop(new AccountProof[](0));
    }

    function test_prove_RevertWhen_TheAccountBelongsToAnotherWallet() public {
        prove(followers, alice, "alice");
        TestIdentity.Verification memory v = TestIdentity.mint(address(followers), bob, "alice");
        vm.prank(bob);
        vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
        followers.prove(v.identityHash, v.expiration, v.signature);
    }

    /// @dev Two people with one account at each provider, four wallets, and steps in any order.
    function testFuzz_claim_PaysNoMoreOftenThanThereArePeople(uint8[32] calldata steps) public {
        string[2] memory people = ["alice", "bob"];
        for (uint256 i = 0; i < steps.length; i++) {
            (uint256 step, address wallet) = (steps[i] % 3, address(uint160(1 + ((steps[i] / 3) % 4))));
            string memory person = people[(steps[i] / 12) % 2];
            if (step == 2) {
                vm.prank(wallet);
                try airdrop.claim() {} catch {}
            } else {
                AccountProof proof = step == 0 ? followers : membership;
                TestIdentity.Verification memory v = TestIdentity.mint(address(proof), wallet, person);
                vm.prank(wallet);
                try proof.prove(v.identityHash, v.expiration, v.signature) {} catch {}
            }
        }
        vm.assertTrue(airdrop.totalSupply() <= people.length * 100 ether);
    }

    function prove(AccountProof proof, address wallet, string memory person) private {
        TestIdentity.Verification memory v = TestIdentity.mint(address(proof), wallet, person);
        vm.prank(wallet);
        proof.prove(v.identityHash, v.expiration, v.signature);
    }
}
