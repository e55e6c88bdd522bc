// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISignerRegistryErrors} from "../../contracts/interfaces/ISignerRegistryErrors.sol";
import {IVerifyConsumer} from "../../contracts/interfaces/IVerifyConsumer.sol";
import {IncentiveProgram} from "../../contracts/examples/IncentiveProgram.sol";
import {SignerRegistry} from "../../contracts/SignerRegistry.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {ScriptedConsumer} from "../fixtures/contracts/HostileConsumers.sol";
import {vm} from "./fixtures/Vm.sol";

/// @dev As a contract developer uses it: without the fixtures of this repository.
contract TestIdentityTest {
    SignerRegistry private registry;
    IncentiveProgram private program;

    function setUp() public {
        registry = TestIdentity.deployRegistry();
        program = new IncentiveProgram(address(registry));
    }

    function test_deployRegistry_BelongsToTheTestAndTrustsTheSigner() public view {
        vm.assertEq(registry.owner(), address(this));
        vm.assertTrue(registry.isSigner(TestIdentity.signer()));
        vm.assertEq(TestIdentity.signer(), 0x0Ea4a128DE38ab08bf01af2051A023ec28Ec447e);
    }

    function testFuzz_mint_IsAccepted(address user, string memory name) public {
        TestIdentity.Verification memory v = TestIdentity.mint(address(program), user, name);
        _enroll(user, v);
        vm.assertTrue(program.identityUsed(v.identityHash));
    }

    function testFuzz_mint_GivesOneNameOneIdentityWhateverTheWallet(address one, address other) public view {
        vm.assertEq(
            TestIdentity.mint(address(program), one, "alice").identityHash,
            TestIdentity.mint(address(program), other, "alice").identityHash
        );
        vm.assertNotEq(
            TestIdentity.mint(address(program), one, "alice").identityHash,
            TestIdentity.mint(address(program), one, "bob").identityHash
        );
    }

    function test_mint_GivesAPersonAnotherIdentityAtEveryConsumerAndOnEveryChain() public {
        address other = address(new IncentiveProgram(address(registry)));
        bytes32 identity = TestIdentity.mint(address(program), address(this), "alice").identityHash;
        vm.assertNotEq(TestIdentity.mint(other, address(this), "alice").identityHash, identity);
        vm.chainId(block.chainid + 1);
        vm.assertNotEq(TestIdentity.mint(address(program), address(this), "alice").identityHash, identity);
    }

    function testFuzz_mint_TakesFuzzedPeopleAndWallets(uint256 who, uint256 another, uint256 where) public {
        vm.assume(who != another);
        address user = TestIdentity.wallet(where);
        TestIdentity.Verification memory v = TestIdentity.mint(address(program), user, TestIdentity.person(who));
        _enroll(user, v);
        v = TestIdentity.mint(address(program), user, TestIdentity.person(another));
        _enroll(user, v);
        vm.assertEq(user.code.length, 0);
    }

    function testFuzz_wallet_IsAnotherForEveryNumber(uint256 one, uint256 other) public pure {
        vm.assume(one != other);
        vm.assertTrue(TestIdentity.wallet(one) != TestIdentity.wallet(other));
    }

    function test_mint_IsValidFor300Seconds() public {
        // By the clock as it is now, whatever was read of it before.
        for (uint256 time = 1_000; time < 4_000; time += 1_000) {
            vm.warp(time);
            vm.assertEq(TestIdentity.mint(address(program), address(this), "alice").expiration, time + 300);
        }
    }

    function test_mint_KeepsTheExpirationThatIsAskedFor() public {
        TestIdentity.Verification memory v = TestIdentity.mint(address(program), address(this), "alice", 1000);
        vm.warp(1001);
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.VerificationExpired.selector, 1000));
        program.enroll(v.identityHash, v.expiration, v.signature);
    }

    function test_mint_RevertWhen_TheConsumerHasNoPolicy() public {
        _expectNoPolicy(address(registry));
        _expectNoPolicy(TestIdentity.wallet(1));
        ScriptedConsumer consumer = new ScriptedConsumer();
        consumer.script(IVerifyConsumer.provider.selector, false, abi.encode("microblog"));
        _expectNoPolicy(address(consumer));
        consumer.script(IVerifyConsumer.conditions.selector, true, abi.encode(new string[](3)));
        _expectNoPolicy(address(consumer));
        // As long as can be without a length.
        consumer.script(IVerifyConsumer.conditions.selector, false, new bytes(63));
        _expectNoPolicy(address(consumer));
    }

    function testFuzz_mintExpired_IsRefused(uint256 who, uint40 time) public {
        vm.assume(time > 0);
        vm.warp(time);
        address user = TestIdentity.wallet(who);
        TestIdentity.Verification memory v = TestIdentity.mintExpired(address(program), user, "alice");
        vm.assertEq(v.expiration, time - 1);
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.VerificationExpired.selector, time - 1));
        _enroll(user, v);
        // There is nothing else wrong with it.
        vm.warp(time - 1);
        _enroll(user, v);
    }

    function testFuzz_mintWrongSigner_IsRefused(uint256 who) public {
        address user = TestIdentity.wallet(who);
        TestIdentity.Verification memory v = TestIdentity.mintWrongSigner(address(program), user, "alice");
        address stranger = TestIdentity.wrongSigner();
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.NotSigner.selector, stranger));
        _enroll(user, v);
        registry.addSigner(stranger);
        _enroll(user, v);
    }

    function testFuzz_mintOtherWallet_IsRefused(uint256 who) public {
        address user = TestIdentity.wallet(who);
        TestIdentity.Verification memory v = TestIdentity.mintOtherWallet(address(program), user, "alice");
        vm.assertEq(v.identityHash, TestIdentity.mint(address(program), user, "alice").identityHash);
        vm.expectPartialRevert(ISignerRegistryErrors.NotSigner.selector);
        _enroll(user, v);
        _enroll(TestIdentity.wallet(uint160(user)), v);
    }

    function testFuzz_mintOtherConsumer_IsRefused(uint256 who) public {
        address user = TestIdentity.wallet(who);
        TestIdentity.Verification memory v = TestIdentity.mintOtherConsumer(address(program), user, "alice");
        vm.expectPartialRevert(ISignerRegistryErrors.NotSigner.selector);
        _enroll(user, v);
        // It is good at that consumer.
        address other = address(uint160(uint256(keccak256(abi.encode(address(program))))));
        vm.etch(other, address(program).code);
        vm.prank(user);
        IncentiveProgram(other).enroll(v.identityHash, v.expiration, v.signature);
    }

    /// @dev A call of its own, so that its revert can be expected.
    function mint(address consumer) external view {
        TestIdentity.mint(consumer, address(this), "alice");
    }

    function _expectNoPolicy(address consumer) private {
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.PolicyNotFound.selector, consumer));
        this.mint(consumer);
    }

    function _enroll(address user, TestIdentity.Verification memory v) private {
        vm.prank(user);
        program.enroll(v.identityHash, v.expiration, v.signature);
    }
}
