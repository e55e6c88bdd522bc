// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISignerRegistryErrors} from "../../contracts/interfaces/ISignerRegistryErrors.sol";
import {SignerRegistry} from "../../contracts/SignerRegistry.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {ExternalGate} from "../fixtures/contracts/Gates.sol";
import {RegistryFixture} from "./fixtures/RegistryFixture.sol";
import {vm} from "./fixtures/Vm.sol";

contract SignerRegistryVerifyVerificationTest is RegistryFixture {
    bytes32 private constant HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;
    uint256 private constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    address private consumer;
    bytes32 private identityHash;
    bytes private signature;

    function setUp() public override {
        super.setUp();
        consumer = address(new ExternalGate(address(registry)));
        TestIdentity.Verification memory v = TestIdentity.mint(consumer, alice, "alice", EXPIRATION);
        identityHash = v.identityHash;
        signature = v.signature;
    }

    function test_verifyVerification_AcceptsAgainUntilItExpires() public {
        vm.prank(consumer);
        registry.verifyVerification(alice, identityHash, EXPIRATION, signature);
        vm.warp(EXPIRATION);
        vm.prank(consumer);
        registry.verifyVerification(alice, identityHash, EXPIRATION, signature);
    }

    function test_verifyVerification_RevertWhen_OneSecondLate() public {
        vm.warp(EXPIRATION + 1);
        _expectExpired(EXPIRATION);
        vm.prank(consumer);
        registry.verifyVerification(alice, identityHash, EXPIRATION, signature);
    }

    function test_verifyVerification_RevertWhen_ExpiredBeforeAnythingElseIsLookedAt() public {
        _expectExpired(NOW - 1);
        vm.prank(alice);
        registry.verifyVerification(alice, identityHash, NOW - 1, "");
    }

    function testFuzz_verifyVerification_RevertWhen_TheUserIsAnother(address user) public {
        vm.assume(user != alice);
        expectStranger(consumer, user, identityHash, EXPIRATION, signature);
        vm.prank(consumer);
        registry.verifyVerification(user, identityHash, EXPIRATION, signature);
    }

    function testFuzz_verifyVerification_RevertWhen_TheIdentityIsAnother(bytes32 identity) public {
        vm.assume(identity != identityHash);
        expectStranger(consumer, alice, identity, EXPIRATION, signature);
        vm.prank(consumer);
        registry.verifyVerification(alice, identity, EXPIRATION, signature);
    }

    function testFuzz_verifyVerification_RevertWhen_TheExpirationIsAnother(uint40 expiration) public {
        vm.assume(expiration >= NOW && expiration != EXPIRATION);
        expectStranger(consumer, alice, identityHash, expiration, signature);
        vm.prank(consumer);
        registry.verifyVerification(alice, identityHash, expiration, signature);
    }

    function test_verifyVerification_RevertWhen_TheConsumerIsAnotherWithTheSamePolicy() public {
        address twin = address(new ExternalGate(address(registry)));
        expectStranger(twin, alice, identityHash, EXPIRATION, signature);
        vm.prank(twin);
        registry.verifyVerification(alice, identityHash, EXPIRATION, signature);
    }

    function testFuzz_verifyVerification_RevertWhen_TheChainIsAnother(uint64 chain) public {
        vm.assume(chain != CHAIN);
        vm.chainId(chain);
        expectStranger(consumer, alice, identityHash, EXPIRATION, signature);
        vm.prank(consumer);
        registry.verifyVerification(alice, identityHash, EXPIRATION, signature);
    }

    function test_verifyVerification_AcceptsAgainAfterReturningToItsChain() public {
        vm.chainId(1);
        vm.chainId(CHAIN);
        vm.prank(consumer);
        registry.verifyVerification(alice, identityHash, EXPIRATION, signature);
    }

    function test_verifyVerification_RevertWhen_TheRegistryIsAnotherWithTheSameSigner() public {
        SignerRegistry other = TestIdentity.deployRegistry();
        // The digest names the registry, so the same signature recovers to somebody else here.
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("SignerRegistry"),
                keccak256("1"),
                CHAIN,
                address(other)
            )
        );
        bytes32 verification = keccak256(
            abi.encode(
                keccak256("Verification(address user,bytes32 identityHash,bytes32 policyHash,uint40 expiration)"),
                alice,
                identityHash,
                other.policyHash(consumer),
                EXPIRATION
            )
        );
        expectNotSigner(recover(keccak256(abi.encodePacked(hex"1901", domain, verification)), signature));
        vm.prank(consumer);
        other.verifyVerification(alice, identityHash, EXPIRATION, signature);
    }

    function testFuzz_verifyVerification_RevertWhen_TheSignerIsNotOnTheAllowlist(uint256 seed) public {
        uint256 key = toPrivateKey(seed);
        vm.assume(!registry.isSigner(vm.addr(key)));
        bytes32 digest = TestIdentity.verificationDigest(consumer, alice, identityHash, EXPIRATION);
        bytes memory forged = TestIdentity.sign(key, digest);
        expectNotSigner(vm.addr(key));
        vm.prank(consumer);
        registry.verifyVerification(alice, identityHash, EXPIRATION, forged);
    }

    function testFuzz_verifyVerification_AcceptsEveryAllowedSigner(uint256 seed) public {
        uint256 key = toPrivateKey(seed);
        vm.assume(!registry.isSigner(vm.addr(key)));
        registry.addSigner(vm.addr(key));
        bytes32 digest = TestIdentity.verificationDigest(consumer, alice, identityHash, EXPIRATION);
        bytes memory signed = TestIdentity.sign(key, digest);
        vm.prank(consumer);
        registry.verifyVerification(alice, identityHash, EXPIRATION, signed);
    }

    function test_verifyVerification_RevertWhen_SIsInTheUpperHalf() public {
        (bytes32 r, bytes32 s, uint8 v) = split(signature);
        // The other signature that recovers to the same signer.
        bytes32 highS = bytes32(ORDER - uint256(s));
        uint8 flipped = v == 27 ? 28 : 27;
        vm.assertTrue(highS > HALF_ORDER);
        vm.assertEq(
            ecrecover(TestIdentity.verificationDigest(consumer, alice, identityHash, EXPIRATION), flipped, r, highS),
            TestIdentity.signer()
        );
        _expectInvalid(abi.encodePacked(r, highS, flipped));
    }

    function test_verifyVerification_RevertWhen_TheSignatureIsCompact() public {
        (bytes32 r, bytes32 s, uint8 v) = split(signature);
        bytes32 yParityAndS = bytes32(uint256(s) | (uint256(v - 27) << 255));
        _expectInvalid(abi.encodePacked(r, yParityAndS));
    }

    function test_verifyVerification_RevertWhen_TheRecoveryByteIs0Or1Or29() public {
        (bytes32 r, bytes32 s, uint8 v) = split(signature);
        _expectInvalid(abi.encodePacked(r, s, v - 27));
        _expectInvalid(abi.encodePacked(r, s, uint8(0)));
        _expectInvalid(abi.encodePacked(r, s, uint8(1)));
        _expectInvalid(abi.encodePacked(r, s, uint8(29)));
    }

    function test_verifyVerification_RevertWhen_TheSignatureIsEmptyShortOrLong() public {
        (bytes32 r, bytes32 s, uint8 v) = split(signature);
        _expectInvalid("");
        _expectInvalid(abi.encodePacked(r, s));
        _expectInvalid(abi.encodePacked(r, s, v, uint8(0)));
        _expectInvalid(abi.encodePacked(r, s, v, new bytes(31)));
    }

    function test_verifyVerification_RevertWhen_TheSignatureIsZero() public {
        (bytes32 r, bytes32 s, uint8 v) = split(signature);
        _expectInvalid(new bytes(65));
        _expectInvalid(abi.encodePacked(bytes32(0), bytes32(0), uint8(27)));
        _expectInvalid(abi.encodePacked(bytes32(0), s, v));
        _expectInvalid(abi.encodePacked(r, bytes32(0), v));
    }

    function test_verifyVerification_RevertWhen_RIsNotBelowTheOrder() public {
        (, bytes32 s, uint8 v) = split(signature);
        _expectInvalid(abi.encodePacked(bytes32(ORDER), s, v));
        _expectInvalid(abi.encodePacked(bytes32(type(uint256).max), s, v));
    }

    function testFuzz_verifyVerification_RevertWhen_TheSignatureIsAnyOther65Bytes(
        bytes32 r,
        bytes32 s,
        uint8 v
    ) public {
        bytes memory random = abi.encodePacked(r, s, v);
        vm.assume(keccak256(random) != keccak256(signature));
        vm.prank(consumer);
        try registry.verifyVerification(alice, identityHash, EXPIRATION, random) {
            vm.assertTrue(false, "accepted a signature that no signer made");
        } catch (bytes memory reason) {
            bytes4 selector = bytes4(reason);
            vm.assertTrue(
                selector == ISignerRegistryErrors.InvalidSignature.selector ||
                    selector == ISignerRegistryErrors.NotSigner.selector
            );
        }
    }

    function testFuzz_verifyVerification_RevertWhen_TheCallerIsAnAccount(uint160 caller) public {
        address account = address(caller);
        vm.assume(account.code.length == 0);
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.PolicyNotFound.selector, account));
        vm.prank(account);
        registry.verifyVerification(alice, identityHash, EXPIRATION, signature);
    }

    function test_verifyVerification_RevertWhen_TheCallerHasNoPolicyEvenIfTheSignatureIsBad() public {
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.PolicyNotFound.selector, address(this)));
        registry.verifyVerification(alice, identityHash, EXPIRATION, "");
    }

    function _expectExpired(uint40 expiration) private {
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.VerificationExpired.selector, expiration));
    }

    function _expectInvalid(bytes memory malformed) private {
        vm.expectRevert(abi.encodeWithSelector(ISignerRegistryErrors.InvalidSignature.selector));
        vm.prank(consumer);
        registry.verifyVerification(alice, identityHash, EXPIRATION, malformed);
    }
}
