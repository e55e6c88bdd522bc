// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

contract SignerRegistryEip712DomainTest is RegistryFixture {
    function test_eip712Domain_IsTheRegistryOnItsChain() public view {
        _expectDomain(CHAIN);
    }

    function testFuzz_eip712Domain_FollowsAChainThatForks(uint64 chain) public {
        vm.chainId(chain);
        _expectDomain(chain);
    }

    function _expectDomain(uint256 chain) private view {
        (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        ) = registry.eip712Domain();
        // Name, version, chain id and contract are there; a salt is not.
        vm.assertEq(uint8(fields), 0x0f);
        vm.assertEq(name, "SignerRegistry");
        vm.assertEq(version, "1");
        vm.assertEq(chainId, chain);
        vm.assertEq(verifyingContract, address(registry));
        vm.assertEq(salt, bytes32(0));
        vm.assertEq(extensions.length, 0);
    }
}
