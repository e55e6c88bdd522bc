// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountProof} from "../../contracts/examples/AccountProof.sol";
import {Airdrop} from "../../contracts/examples/Airdrop.sol";
import {Ballot} from "../../contracts/examples/Ballot.sol";
import {ExampleToken} from "../../contracts/examples/ExampleToken.sol";
import {IncentiveProgram} from "../../contracts/examples/IncentiveProgram.sol";
import {MembershipPass} from "../../contracts/examples/MembershipPass.sol";
import {VerifiedVault} from "../../contracts/examples/VerifiedVault.sol";
import {TestIdentity} from "../../contracts/testing/TestIdentity.sol";
import {VerifyConsumerTest} from "../../contracts/testing/VerifyConsumerTest.sol";
import {VerifyOnceTest} from "../../contracts/testing/VerifyOnceTest.sol";
import {ExternalGate} from "../fixtures/contracts/Gates.sol";
import {ChoosingConsumer, PoolOnceConsumer, SilentOnceConsumer} from "./fixtures/OnceConsumers.sol";

contract AirdropOnceTest is VerifyOnceTest {
    Airdrop private airdrop;

    function setUp() public {
        airdrop = new Airdrop(address(TestIdentity.deployRegistry()));
    }

    function consumer() internal view override returns (address) {
        return address(airdrop);
    }

    function claim(TestIdentity.Verification memory v, address) internal override {
        airdrop.claim(v.identityHash, v.expiration, v.signature);
    }
}

contract IncentiveProgramOnceTest is VerifyOnceTest {
    IncentiveProgram private program;

    function setUp() public {
        program = new IncentiveProgram(address(TestIdentity.deployRegistry()));
    }

    function consumer() internal view override returns (address) {
        return address(program);
    }

    function claim(TestIdentity.Verification memory v, address) internal override {
        program.enroll(v.identityHash, v.expiration, v.signature);
    }
}

contract MembershipPassOnceTest is VerifyOnceTest {
    MembershipPass private pass;

    function setUp() public {
        pass = new MembershipPass(address(TestIdentity.deployRegistry()));
    }

    function consumer() internal view override returns (address) {
        return address(pass);
    }

    function claim(TestIdentity.Verification memory v, address) internal override {
        pass.mint(v.identityHash, v.expiration, v.signature);
    }
}

contract ProvenAccount is AccountProof {
    constructor(address registry_) AccountProof(registry_) {}

    function provider() external pure override returns (string memory) {
        return "microblog";
    }

    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers", "gt", "1000");
    }
}

contract AccountProofOnceTest is VerifyOnceTest {
    ProvenAccount private proof;

    function setUp() public {
        proof = new ProvenAccount(address(TestIdentity.deployRegistry()));
    }

    function consumer() internal view override returns (address) {
        return address(proof);
    }

    function claim(TestIdentity.Verification memory v, address) internal override {
        proof.prove(v.identityHash, v.expiration, v.signature);
    }
}

contract BallotOnceTest is VerifyOnceTest {
    Ballot private ballot;

    function setUp() public {
        ballot = new Ballot(address(TestIdentity.deployRegistry()));
        ballot.propose("Shall we meet?");
    }

    function consumer() internal view override returns (address) {
        return address(ballot);
    }

    function rounds() internal view override returns (uint256) {
        return ballot.proposals();
    }

    function claim(TestIdentity.Verification memory v, address) internal override {
        ballot.vote(0, true, v.identityHash, v.expiration, v.signature);
    }
}

/// @dev The claim needs another call before it.
contract VerifiedVaultOnceTest is VerifyOnceTest {
    ExampleToken private token;
    VerifiedVault private vault;

    function setUp() public {
        token = new ExampleToken();
        vault = new VerifiedVault(address(TestIdentity.deployRegistry()), token);
    }

    function consumer() internal view override returns (address) {
        return address(vault);
    }

    function claim(TestIdentity.Verification memory v, address user) internal override {
        token.mint(user, 5);
        token.approve(address(vault), 5);
        vault.deposit(5, v.identityHash, v.expiration, v.signature);
    }
}

/// @dev The consumer returns the expiration, and its caller looks at the clock.
contract EntryPointOnceTest is VerifyOnceTest {
    PoolOnceConsumer private pool;

    function setUp() public {
        pool = new PoolOnceConsumer(address(TestIdentity.deployRegistry()), address(this));
    }

    function consumer() internal view override returns (address) {
        return address(pool);
    }

    function claim(TestIdentity.Verification memory v, address user) internal override {
        uint40 validUntil = pool.validate(user, v.identityHash, v.expiration, v.signature);
        require(CHEATS.getBlockTimestamp() <= validUntil, "expired");
    }
}

/// @dev The consumer's hook for used identities returns.
contract SilentOnceTest is VerifyOnceTest {
    SilentOnceConsumer private silent;

    function setUp() public {
        silent = new SilentOnceConsumer(address(TestIdentity.deployRegistry()));
    }

    function consumer() internal view override returns (address) {
        return address(silent);
    }

    function claim(TestIdentity.Verification memory v, address) internal override {
        silent.claim(v.identityHash, v.expiration, v.signature);
    }
}

contract ChoosingOnceTest is VerifyOnceTest {
    ChoosingConsumer private choosing;

    function setUp() public {
        choosing = new ChoosingConsumer(address(TestIdentity.deployRegistry()));
    }

    function consumer() internal view override returns (address) {
        return address(choosing);
    }

    function claim(TestIdentity.Verification memory v, address) internal override {
        choosing.claimWith(2, address(this), "for my mother", v.identityHash, v.expiration, v.signature);
    }
}

/// @dev Admits people any number of times.
contract GateTest is VerifyConsumerTest {
    ExternalGate private gate;

    function setUp() public {
        gate = new ExternalGate(address(TestIdentity.deployRegistry()));
    }

    function consumer() internal view override returns (address) {
        return address(gate);
    }

    function claim(TestIdentity.Verification memory v, address) internal override {
        gate.enter(v.identityHash, v.expiration, v.signature);
    }
}
