// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BatchExecutorFixture} from "./fixtures/BatchExecutorFixture.sol";
import {vm} from "./fixtures/Vm.sol";

contract BatchExecutorIsValidSignatureTest is BatchExecutorFixture {
    bytes4 private constant VALID = 0x1626ba7e;
    bytes4 private constant INVALID = 0xffffffff;

    function testFuzz_isValidSignature_AcceptsTheAccountsOwnKey(bytes32 digest) public view {
        vm.assertEq(account.isValidSignature(digest, sign(KEY, digest)), VALID, "its own key signs for it");
    }

    function testFuzz_isValidSignature_RefusesAnotherKey(bytes32 digest, uint256 key) public view {
        key = 1 + (key % 1_000_000);
        vm.assertEq(account.isValidSignature(digest, sign(key, digest)), INVALID, "no other key signs for it");
    }

    function test_isValidSignature_RefusesAnotherDigest() public view {
        bytes memory signature = sign(KEY, keccak256("one"));
        vm.assertEq(account.isValidSignature(keccak256("another"), signature), INVALID, "it is for one digest");
    }

    function testFuzz_isValidSignature_RefusesAnythingElse(bytes32 digest, bytes calldata signature) public view {
        vm.assertEq(account.isValidSignature(digest, signature), INVALID, "it is no signature");
    }

    function test_isValidSignature_RefusesTheAccountsKeyAtTheExecutor() public view {
        bytes32 digest = keccak256("one");
        vm.assertEq(executor.isValidSignature(digest, sign(KEY, digest)), INVALID, "the executor is no account");
    }

    function sign(uint256 key, bytes32 digest) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }
}
