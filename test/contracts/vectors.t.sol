// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IVerifyConsumer} from "../../contracts/interfaces/IVerifyConsumer.sol";
import {SignerRegistry} from "../../contracts/SignerRegistry.sol";
import {ScriptedConsumer} from "../fixtures/contracts/HostileConsumers.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

/// @dev The committed vectors, which TypeScript checks too.
contract VectorsTest is RegistryFixture {
    struct VerificationVector {
        address registry;
        address user;
        bytes32 identityHash;
        bytes32 policyHash;
        uint40 expiration;
        address signer;
        bytes signature;
    }

    string private policies;
    string private verifications;

    function setUp() public override {
        super.setUp();
        policies = vm.readFile("test/vectors/policy-hash.json");
        verifications = vm.readFile("test/vectors/verification.json");
    }

    function test_policyHash_AgreesWithEveryVector() public {
        uint256 count = _count(policies);
        vm.assertTrue(count >= 12);
        for (uint256 i = 0; i < count; ++i) {
            address consumer = _placeConsumer(i);
            bytes32 expected = vm.parseJsonBytes32(policies, _at(i, "policyHash"));
            vm.assertEq(registry.policyHash(consumer), expected, _name(policies, i));
            vm.assertEq(
                keccak256(
                    abi.encode(
                        vm.parseJsonUint(policies, _at(i, "chainId")),
                        consumer,
                        vm.parseJsonString(policies, _at(i, "provider")),
                        _conditions(i)
                    )
                ),
                expected,
                _name(policies, i)
            );
        }
    }

    function test_verifyVerification_AcceptsTheVectorsOfAKnownPolicy() public {
        uint256 accepted = 0;
        for (uint256 i = 0; i < _count(verifications); ++i) {
            VerificationVector memory v = _verification(i);
            uint256 chain = vm.parseJsonUint(verifications, _at(i, "chainId"));
            for (uint256 j = 0; j < _count(policies); ++j) {
                bool known =
                    vm.parseJsonBytes32(policies, _at(j, "policyHash")) == v.policyHash &&
                        vm.parseJsonUint(policies, _at(j, "chainId")) == chain;
                if (!known) continue;
                SignerRegistry placed = _placeRegistry(v.registry);
                address consumer = _placeConsumer(j);
                if (!placed.isSigner(v.signer)) {
                    // The code alone was placed, so that nobody owns it.
                    vm.prank(address(0));
                    placed.addSigner(v.signer);
                }
                vm.warp(v.expiration);
                vm.prank(consumer);
                placed.verifyVerification(v.user, v.identityHash, v.expiration, v.signature);
                ++accepted;
            }
        }
        vm.assertTrue(accepted >= 4);
    }

    function _placeRegistry(address target) private returns (SignerRegistry) {
        vm.etch(target, address(registry).code);
        return SignerRegistry(target);
    }

    function _placeConsumer(uint256 i) private returns (address consumer) {
        vm.chainId(vm.parseJsonUint(policies, _at(i, "chainId")));
        consumer = vm.parseJsonAddress(policies, _at(i, "consumer"));
        vm.etch(consumer, type(ScriptedConsumer).runtimeCode);
        ScriptedConsumer(consumer).script(
            IVerifyConsumer.provider.selector,
            false,
            vm.parseJsonBytes(policies, _at(i, "encodedProvider"))
        );
        ScriptedConsumer(consumer).script(
            IVerifyConsumer.conditions.selector,
            false,
            vm.parseJsonBytes(policies, _at(i, "encodedConditions"))
        );
    }

    function _conditions(uint256 i) private view returns (IVerifyConsumer.Condition[] memory list) {
        uint256 count = 0;
        while (vm.keyExistsJson(policies, _condition(i, count, "name"))) ++count;
        list = new IVerifyConsumer.Condition[](count);
        for (uint256 k = 0; k < count; ++k) {
            list[k].name = vm.parseJsonString(policies, _condition(i, k, "name"));
            list[k].op = vm.parseJsonString(policies, _condition(i, k, "op"));
            list[k].value = vm.parseJsonString(policies, _condition(i, k, "value"));
        }
    }

    function _verification(uint256 i) private view returns (VerificationVector memory) {
        return
            VerificationVector({
                registry: vm.parseJsonAddress(verifications, _at(i, "registry")),
                user: vm.parseJsonAddress(verifications, _at(i, "user")),
                identityHash: vm.parseJsonBytes32(verifications, _at(i, "identityHash")),
                policyHash: vm.parseJsonBytes32(verifications, _at(i, "policyHash")),
                expiration: uint40(vm.parseJsonUint(verifications, _at(i, "expiration"))),
                signer: vm.parseJsonAddress(verifications, _at(i, "signer")),
                signature: vm.parseJsonBytes(verifications, _at(i, "signature"))
            });
    }

    function _count(string memory json) private view returns (uint256 count) {
        while (vm.keyExistsJson(json, _at(count, "name"))) ++count;
    }

    function _name(string memory json, uint256 i) private pure returns (string memory) {
        return vm.parseJsonString(json, _at(i, "name"));
    }

    function _at(uint256 i, string memory key) private pure returns (string memory) {
        return string.concat("$[", vm.toString(i), "].", key);
    }

    function _condition(uint256 i, uint256 k, string memory key) private pure returns (string memory) {
        return _at(i, string.concat("conditions[", vm.toString(k), "].", key));
    }
}
