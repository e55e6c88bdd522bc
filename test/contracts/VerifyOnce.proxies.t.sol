// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";

import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {VerifyOnce} from "../../contracts/VerifyOnce.sol";
import {OnceConsumer, OnceConsumerWithAnotherPolicy, UpgradeableOnceConsumer} from "./fixtures/OnceConsumers.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

contract VerifyOnceProxiesTest is RegistryFixture {
    bytes private constant INITIALIZE = abi.encodeWithSelector(UpgradeableOnceConsumer.initialize.selector);

    address private implementation;

    function setUp() public override {
        super.setUp();
        implementation = address(new UpgradeableOnceConsumer(address(registry)));
    }

    function test_verifyOnce_CountsAnIdentityOnceBehindAnERC1967Proxy() public {
        _countsOnce(address(new ERC1967Proxy(implementation, INITIALIZE)));
    }

    function test_verifyOnce_CountsAnIdentityOnceBehindAClone() public {
        _countsOnce(Clones.clone(implementation));
    }

    function test_verifyOnce_KeepsClonesApart() public {
        OnceConsumer one = OnceConsumer(Clones.clone(implementation));
        OnceConsumer other = OnceConsumer(Clones.clone(implementation));
        TestIdentity.Verification memory v = _mint(one, alice, "alice");
        _claim(one, alice, v);

        vm.assertFalse(other.identityUsed(v.identityHash));
        vm.assertFalse(OnceConsumer(implementation).identityUsed(v.identityHash));
        expectStranger(address(other), alice, v.identityHash, v.expiration, v.signature);
        _claim(other, alice, v);
        _claim(other, alice, _mint(other, alice, "alice"));
        vm.assertEq(other.admitted(), 1);
    }

    function test_verifyOnce_TellsAProxyFromItsImplementation() public {
        OnceConsumer proxy = OnceConsumer(address(new ERC1967Proxy(implementation, INITIALIZE)));
        TestIdentity.Verification memory v = _mint(OnceConsumer(implementation), alice, "alice");
        expectStranger(address(proxy), alice, v.identityHash, v.expiration, v.signature);
        _claim(proxy, alice, v);
    }

    function test_verifyOnce_RemembersThroughUUPSUpgrade() public {
        UpgradeableOnceConsumer proxy = UpgradeableOnceConsumer(address(new ERC1967Proxy(implementation, INITIALIZE)));
        _claim(proxy, alice, _mint(proxy, alice, "alice"));
        proxy.upgradeToAndCall(address(new UpgradeableOnceConsumer(address(registry))), "");
        _refusesAgain(proxy);
    }

    function test_verifyOnce_RemembersEvenIfAnUpgradeChangesThePolicy() public {
        UpgradeableOnceConsumer proxy = UpgradeableOnceConsumer(address(new ERC1967Proxy(implementation, INITIALIZE)));
        _claim(proxy, alice, _mint(proxy, alice, "alice"));
        TestIdentity.Verification memory outstanding = _mint(proxy, bob, "bob");

        proxy.upgradeToAndCall(address(new OnceConsumerWithAnotherPolicy(address(registry))), "");
        _refusesAgain(proxy);
        // Verifications for the earlier policy are void.
        expectStranger(address(proxy), bob, outstanding.identityHash, outstanding.expiration, outstanding.signature);
        _claim(proxy, bob, outstanding);
        _claim(proxy, bob, _mint(proxy, bob, "bob"));
    }

    function test_registry_IsTheImplementationsBehindAProxy() public {
        OnceConsumer proxy = OnceConsumer(Clones.clone(implementation));
        vm.assertEq(address(proxy.registry()), address(registry));
        vm.assertEq(
            registry.policyHash(address(proxy)),
            keccak256(abi.encode(CHAIN, address(proxy), proxy.provider(), proxy.conditions()))
        );
    }

    function _countsOnce(address proxy) private {
        OnceConsumer consumer = OnceConsumer(proxy);
        _claim(consumer, alice, _mint(consumer, alice, "alice"));
        _claim(consumer, bob, _mint(consumer, bob, "bob"));
        vm.assertEq(consumer.admitted(), 2);
        _refusesAgain(consumer);
    }

    function _refusesAgain(OnceConsumer consumer) private {
        uint256 admitted = consumer.admitted();
        TestIdentity.Verification memory v = _mint(consumer, bob, "alice");
        vm.expectRevert(abi.encodeWithSelector(VerifyOnce.IdentityAlreadyUsed.selector, v.identityHash));
        _claim(consumer, bob, v);
        vm.assertEq(consumer.admitted(), admitted);
    }

    function _mint(
        OnceConsumer consumer,
        address user,
        string memory name
    ) private view returns (TestIdentity.Verification memory) {
        return TestIdentity.mint(address(consumer), user, name, EXPIRATION);
    }

    function _claim(OnceConsumer consumer, address user, TestIdentity.Verification memory v) private {
        vm.prank(user);
        consumer.claim(v.identityHash, v.expiration, v.signature);
    }
}
