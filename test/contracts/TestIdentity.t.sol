// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISignerRegistryErrors} from "../../contracts/interfaces/ISignerRegistryErrors.sol";
import {IncentiveProgram} from "../../contracts/examples/IncentiveProgram.sol";
import {SignerRegistry} from "../../contracts/SignerRegistry.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
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
        vm.prank(user);
        program.enroll(v.identityHash, v.expiration, v.signature);
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

    function test_mint_KeepsTheExpirationThatIsAskedFor() public {
        TestIdentity.Verification memory v = TestIdentity.mint(address(program), address(this), "alice", 1000);
        vm.warp(1001);
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.VerificationExpired.selector, 1000));
        program.enroll(v.identityHash, v.expiration, v.signature);
    }
}
