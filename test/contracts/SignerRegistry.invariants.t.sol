// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SignerRegistry} from "../../contracts/SignerRegistry.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {ExternalGate} from "../fixtures/contracts/Gates.sol";
import {InvariantTest} from "./fixtures/InvariantTest.sol";
import {vm} from "./fixtures/Vm.sol";

/// @dev Owns a registry, issues verifications and spends them, rightly and wrongly, in any order; and notes every
/// answer of the registry that it did not expect.
contract RegistryHandler {
    struct Issued {
        uint256 signer;
        address user;
        address consumer;
        uint256 chain;
        bytes32 identityHash;
        uint40 expiration;
        bytes signature;
    }

    SignerRegistry public immutable registry;

    address[2] private _consumers;
    address[2] private _users = [address(0xA11CE), address(0xB0B)];
    uint256[2] private _chains = [uint256(84532), 8453];
    bool[3] private _allowed;
    Issued[] private _issued;
    uint256 private _now = 1_800_000_000;
    uint256 private _chain = 84532;

    uint256 public accepted;
    uint256 public refused;
    uint256 public acceptedOfRemovedSigner;
    uint256 public acceptedForOther;
    uint256 public acceptedTooLate;
    uint256 public refusedThoughValid;

    // The runner sets the clock and the chain back between calls.
    modifier hereAndNow() {
        vm.warp(_now);
        vm.chainId(_chain);
        _;
    }

    constructor() hereAndNow {
        registry = new SignerRegistry(address(this), new address[](0));
        for (uint256 i = 0; i < 2; ++i) {
            _consumers[i] = address(new ExternalGate(address(registry)));
        }
        addSigner(0);
    }

    function addSigner(uint256 signer) public {
        signer %= 3;
        if (_allowed[signer]) return;
        registry.addSigner(vm.addr(_key(signer)));
        _allowed[signer] = true;
    }

    function removeSigner(uint256 signer) public {
        signer %= 3;
        if (!_allowed[signer]) return;
        registry.removeSigner(vm.addr(_key(signer)));
        _allowed[signer] = false;
    }

    function passTime(uint256 time) public {
        _now += time % 400;
    }

    function changeChain(uint256 chain) public {
        // Mostly home, so that most of what is spent could be valid.
        _chain = _chains[chain % 5 == 0 ? 1 : 0];
    }

    /// @dev Issued by a signer whether it is on the allowlist or not: it may be removed, or added, later.
    function issue(
        uint256 signer,
        uint256 user,
        uint256 consumer,
        bytes32 identityHash,
        uint256 lifetime
    ) public hereAndNow {
        signer %= 3;
        Issued memory v = Issued({
            signer: signer,
            user: _users[user % 2],
            consumer: _consumers[consumer % 2],
            chain: _chain,
            identityHash: identityHash,
            expiration: uint40(_now + (lifetime % 600)),
            signature: ""
        });
        v.signature = TestIdentity.sign(
            _key(signer),
            TestIdentity.verificationDigest(v.consumer, v.user, identityHash, v.expiration)
        );
        _issued.push(v);
    }

    /// @dev Spends as it was issued: all that can be wrong is its signer, the time and the chain.
    function spend(uint256 which) public {
        if (_issued.length == 0) return;
        Issued memory v = _issued[which % _issued.length];
        _spend(v, v.user, v.consumer, v.identityHash, v.expiration);
    }

    /// @dev Spends with any of its parts replaced.
    function spendForged(
        uint256 which,
        uint256 user,
        uint256 consumer,
        bytes32 identityHash,
        uint40 expiration,
        uint8 replaced
    ) public {
        if (_issued.length == 0) return;
        Issued memory v = _issued[which % _issued.length];
        _spend(
            v,
            replaced & 1 == 0 ? v.user : _users[user % 2],
            replaced & 2 == 0 ? v.consumer : _consumers[consumer % 2],
            replaced & 4 == 0 ? v.identityHash : identityHash,
            replaced & 8 == 0 ? v.expiration : expiration
        );
    }

    function allowed(uint256 signer) external view returns (address account, bool expected) {
        return (vm.addr(_key(signer)), _allowed[signer]);
    }

    function _spend(
        Issued memory v,
        address user,
        address consumer,
        bytes32 identityHash,
        uint40 expiration
    ) private hereAndNow {
        bool sameThing =
            user == v.user &&
                consumer == v.consumer &&
                identityHash == v.identityHash &&
                expiration == v.expiration &&
                _chain == v.chain;
        bool inTime = _now <= expiration;
        vm.prank(user);
        try ExternalGate(consumer).enter(identityHash, expiration, v.signature) {
            ++accepted;
            if (!_allowed[v.signer]) ++acceptedOfRemovedSigner;
            if (!sameThing) ++acceptedForOther;
            if (!inTime) ++acceptedTooLate;
        } catch {
            ++refused;
            if (_allowed[v.signer] && sameThing && inTime) ++refusedThoughValid;
        }
    }

    function _key(uint256 signer) private pure returns (uint256) {
        return signer + 1;
    }
}

contract SignerRegistryInvariantsTest is InvariantTest {
    RegistryHandler private handler;

    function setUp() public {
        handler = new RegistryHandler();
        targetContract(address(handler));
    }

    function invariant_ARemovedSignerNeverVerifies() public view {
        vm.assertEq(handler.acceptedOfRemovedSigner(), 0);
    }

    function invariant_NobodyButTheNamedUserAtTheNamedConsumerOnTheNamedChainIsAccepted() public view {
        vm.assertEq(handler.acceptedForOther(), 0);
    }

    function invariant_NothingIsAcceptedAfterItsExpiration() public view {
        vm.assertEq(handler.acceptedTooLate(), 0);
    }

    function invariant_WhatIsValidIsAccepted() public view {
        vm.assertEq(handler.refusedThoughValid(), 0);
    }

    function invariant_TheAllowlistIsWhatWasAddedAndNotRemoved() public view {
        uint256 count = 0;
        for (uint256 i = 0; i < 3; ++i) {
            (address account, bool expected) = handler.allowed(i);
            vm.assertTrue(handler.registry().isSigner(account) == expected);
            if (expected) ++count;
        }
        vm.assertEq(handler.registry().signers().length, count);
    }

    /// @dev The invariants say something only if the handler's calls get both answers.
    function test_handler_GetsVerificationsAcceptedAndRefused() public {
        handler.issue(0, 0, 0, "alice", 300);
        handler.spend(0);
        vm.assertEq(handler.accepted(), 1);
        handler.spendForged(0, 1, 0, "alice", 0, 1);
        handler.spendForged(0, 0, 1, "alice", 0, 2);
        handler.spendForged(0, 0, 0, "bob", 0, 4);
        handler.spendForged(0, 0, 0, "alice", type(uint40).max, 8);
        handler.changeChain(0);
        handler.spend(0);
        handler.changeChain(1);
        handler.removeSigner(0);
        handler.spend(0);
        vm.assertEq(handler.accepted(), 1);
        vm.assertEq(handler.refused(), 6);
        handler.addSigner(0);
        handler.passTime(300);
        handler.spend(0);
        vm.assertEq(handler.accepted(), 2);
        handler.passTime(1);
        handler.spend(0);
        vm.assertEq(handler.refused(), 7);
    }
}
