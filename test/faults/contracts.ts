import type { Fault } from "./fault.ts";

export const faults: readonly Fault[] = [
  // The promises of SECURITY.md, in its order.
  {
    what: "an identity is never marked as used, so that it counts any number of times",
    file: "contracts/VerifyOnce.sol",
    from: "        used[identityHash] = true;\n",
    to: "        used[identityHash] = false;\n",
    tests: ["test/contracts/VerifyOnce.invariants.t.sol: invariant_OneIdentityCountsOnceAtEveryConsumer"],
  },
  {
    what: "an identity is not marked when the consumer calls out, so that a re-entrant call uses it twice",
    file: "contracts/VerifyOnce.sol",
    from: "        used[identityHash] = true;\n",
    to: "        used[identityHash] = msg.sender.code.length == 0;\n",
    tests: ["test/contracts/VerifyOnce.reentrancy.t.sol: test_verifyOnce_IsUsedUpWhenTheConsumerCallsOut"],
  },
  {
    what: "an identity is counted without the event, so that nobody can compare it with what was signed",
    file: "contracts/VerifyOnce.sol",
    from: "        emit IdentityUsed(round, identityHash);\n",
    to: "        if (round != 0) emit IdentityUsed(round, identityHash);\n",
    tests: ["test/contracts/VerifyOnce.verifyOnce.t.sol: test_verifyOnce_EmitsRoundZeroWithoutARound"],
  },
  {
    what: "a round is one with all other rounds, so that a person who voted once may not vote on anything else",
    file: "contracts/VerifyOnce.sol",
    from: "$.usedInRound[round]",
    to: "$.usedInRound[round & bytes32(uint256(1))]",
    tests: ["test/contracts/VerifyOnce.verifyOnce.t.sol: testFuzz_verifyOnce_CountsOnceInEachRound"],
  },
  {
    what: "a window admits one more than the pace",
    file: "contracts/VerifyPaced.sol",
    from: "if (admitted >= most)",
    to: "if (admitted > most)",
    tests: ["test/contracts/VerifyPaced.t.sol: invariant_NoWindowAdmitsMoreThanThePace"],
  },
  {
    what: "a voter chooses a round that is no proposal, and votes again",
    file: "contracts/examples/Ballot.sol",
    from: "        if (proposal >= proposals) revert ProposalNotFound(proposal);\n",
    to: "",
    tests: ["test/contracts/examples/Ballot.t.sol: testFuzz_vote_RevertWhen_TheProposalDoesNotExist"],
  },
  {
    what: "a verification without the clock takes any signer",
    file: "contracts/VerifyConsumer.sol",
    from: "        if (!_registry.isSigner(signer)) revert NotSigner(signer);\n",
    to: "        if (signer == address(0)) revert NotSigner(signer);\n",
    tests: [
      "test/contracts/VerifyOnce.verifyOnce.t.sol: test_verifyOnceWithoutClock_ReturnsTheExpirationAndChecksEverythingElse",
    ],
  },
  {
    what: "a hook that returns admits a used identity",
    file: "contracts/VerifyOnce.sol",
    from: "        if (alreadyUsed) revert IdentityAlreadyUsed(identityHash);\n",
    to: "",
    tests: [
      "test/contracts/VerifyOnce.verifyOnce.t.sol: test_verifyOnce_RevertWhen_UsedEvenIfTheHookReturns",
    ],
  },
  {
    what: "identities are kept at a slot that is not the one of ERC-7201",
    file: "contracts/VerifyOnce.sol",
    from: "15a35d00;",
    to: "15a35d01;",
    tests: ["test/contracts/VerifyOnce.verifyOnce.t.sol: test_verifyOnce_StoresWhereERC7201Says"],
  },
  {
    what: "identities are kept for one implementation, so that an upgrade forgets them",
    file: "contracts/VerifyOnce.sol",
    from: `    function _verifyOnceStorage() private pure returns (VerifyOnceStorage storage $) {
        assembly ("memory-safe") {
            $.slot := VERIFY_ONCE_STORAGE`,
    to: `    bytes32 private immutable _slot = keccak256(abi.encode(VERIFY_ONCE_STORAGE, address(this)));

    function _verifyOnceStorage() private view returns (VerifyOnceStorage storage $) {
        bytes32 slot = _slot;
        assembly ("memory-safe") {
            $.slot := slot`,
    tests: ["test/contracts/VerifyOnce.proxies.t.sol: test_verifyOnce_RemembersThroughUUPSUpgrade"],
  },
  {
    what: "a contract that the user calls can use the user's verification",
    file: "contracts/VerifyConsumer.sol",
    from: "return msg.sender;",
    to: "return tx.origin;",
    tests: ["test/contracts/VerifyConsumer.t.sol: testFuzz_verify_RevertWhen_AnotherWalletCalls"],
  },
  {
    what: "the signature does not cover the user, so that any wallet can use a verification",
    file: "contracts/SignerRegistry.sol",
    from: "abi.encode(VERIFICATION_TYPEHASH, user, identityHash,",
    to: "abi.encode(VERIFICATION_TYPEHASH, identityHash == 0 ? user : msg.sender, identityHash,",
    tests: ["test/contracts/SignerRegistry.invariants.t.sol"],
  },
  {
    what: "a verification for one chain is valid on another",
    file: "contracts/SignerRegistry.sol",
    from: "mstore(start, chainid())",
    to: "mstore(start, 84532)",
    tests: ["test/contracts/SignerRegistry.policyHash.t.sol"],
  },
  {
    what: "the registry is in another EIP-712 domain than the one that signers sign for",
    file: "contracts/SignerRegistry.sol",
    from: `EIP712("SignerRegistry", "1")`,
    to: `EIP712("SignerRegistry", "2")`,
    tests: ["test/contracts/SignerRegistry.eip712Domain.t.sol: testFuzz_eip712Domain_FollowsAChainThatForks"],
  },
  {
    what: "a verification never expires",
    file: "contracts/SignerRegistry.sol",
    from: "        if (block.timestamp > expiration) revert VerificationExpired(expiration);\n",
    to: "",
    tests: ["test/contracts/SignerRegistry.invariants.t.sol: invariant_NothingIsAcceptedAfterItsExpiration"],
  },
  {
    what: "a second signature with s in the upper half is accepted",
    file: "contracts/SignerRegistry.sol",
    from: `        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(_hashTypedDataV4(structHash), signature);
        if (problem != ECDSA.RecoverError.NoError) revert InvalidSignature();
`,
    to: `        if (signature.length != 65) revert InvalidSignature();
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        address signer = ecrecover(_hashTypedDataV4(structHash), uint8(signature[64]), r, s);
        if (signer == address(0)) revert InvalidSignature();
`,
    tests: [
      "test/contracts/SignerRegistry.verifyVerification.t.sol: test_verifyVerification_RevertWhen_SIsInTheUpperHalf",
    ],
  },
  {
    what: "a compact signature of 64 bytes is accepted",
    file: "contracts/SignerRegistry.sol",
    from: "(address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(_hashTypedDataV4(structHash), signature);",
    to: `address signer;
        ECDSA.RecoverError problem;
        if (signature.length == 64) {
            (bytes32 r, bytes32 vs) = abi.decode(signature, (bytes32, bytes32));
            (signer, problem, ) = ECDSA.tryRecover(_hashTypedDataV4(structHash), r, vs);
        } else {
            (signer, problem, ) = ECDSA.tryRecover(_hashTypedDataV4(structHash), signature);
        }`,
    tests: [
      "test/contracts/SignerRegistry.verifyVerification.t.sol: test_verifyVerification_RevertWhen_TheSignatureIsCompact",
    ],
  },
  {
    what: "a removed signer stays on the allowlist",
    file: "contracts/SignerRegistry.sol",
    from: "if (!_signers.remove(signer)) revert",
    to: "if (!_signers.contains(signer)) revert",
    tests: ["test/contracts/SignerRegistry.invariants.t.sol: invariant_ARemovedSignerNeverVerifies"],
  },
  {
    what: "a contract that takes every call in silence passes for a registry",
    file: "contracts/VerifyConsumer.sol",
    from: "return answered && keccak256(answer)",
    to: "return (answered && answer.length == 0) || keccak256(answer)",
    tests: [
      "test/contracts/VerifyConsumer.t.sol: test_constructor_RevertWhen_TheRegistryTakesEveryCallInSilence",
    ],
  },
  {
    what: "a Safe passes for a registry",
    file: "contracts/VerifyConsumer.sol",
    from: "keccak256(answer) == keccak256(domain)",
    to: "(keccak256(answer) == keccak256(domain) || (answer.length == 0 && account.code.length > 0))",
    tests: ["test/contracts/VerifyConsumer.test.ts: takes no Safe for a registry"],
  },
  {
    what: "the ownership moves in one step, to whatever address was typed",
    file: "contracts/SignerRegistry.sol",
    from: "    function renounceOwnership() public pure override {",
    to: `    function transferOwnership(address next) public override onlyOwner {
        _transferOwnership(next);
    }

    function renounceOwnership() public pure override {`,
    tests: [
      "test/contracts/SignerRegistry.ownership.t.sol: testFuzz_transferOwnership_ChangesNothingUntilItIsAccepted",
    ],
  },
  {
    what: "the ownership can be renounced, after which no signer can be removed",
    file: "contracts/SignerRegistry.sol",
    from: `    function renounceOwnership() public pure override {
        revert OwnershipCannotBeRenounced();`,
    to: `    function renounceOwnership() public override {
        super.renounceOwnership();`,
    tests: [
      "test/contracts/SignerRegistry.ownership.t.sol: testFuzz_renounceOwnership_RevertWhen_AnyoneCalls",
    ],
  },

  // Those that no test noticed once.
  {
    what: "a consumer whose getter reverts has a policy: what it reverts with",
    file: "contracts/SignerRegistry.sol",
    from: "if iszero(and(found, gt(returndatasize(), 0x3f))) {",
    to: "if iszero(gt(returndatasize(), mul(found, 0))) {",
    tests: ["test/contracts/SignerRegistry.policyHash.t.sol"],
  },
  {
    what: "a contract that burns all its gas makes the constructor of a consumer burn it",
    file: "contracts/VerifyConsumer.sol",
    from: "account.staticcall{gas: 100_000}(question)",
    to: "account.staticcall(question)",
    tests: ["test/contracts/VerifyConsumer.t.sol"],
  },
  {
    what: "the event of a vote always says yes",
    file: "contracts/examples/Ballot.sol",
    from: "emit Voted(proposal, identityHash, support)",
    to: "emit Voted(proposal, identityHash, true)",
    tests: ["test/contracts/examples/Ballot.t.sol"],
  },
  {
    what: "a deposit of a token that answers false counts",
    file: "contracts/examples/VerifiedVault.sol",
    from: "token.safeTransferFrom(",
    to: "token.transferFrom(",
    tests: ["test/contracts/examples/VerifiedVault.t.sol"],
  },
  {
    what: "memory for long data eats the gas that a call was promised",
    file: "contracts/wallet/BatchExecutor.sol",
    from: `        bytes memory data = call_.data;
        if (gasLimit != NO_GAS_LIMIT && !_canGive(gasLimit)) revert GasLimitNotAvailable(index, gasLimit);
`,
    to: `        if (gasLimit != NO_GAS_LIMIT && !_canGive(gasLimit)) revert GasLimitNotAvailable(index, gasLimit);
        bytes memory data = call_.data;
`,
    tests: ["test/contracts/BatchExecutor.execute.t.sol"],
  },
  {
    what: "a call with a value for an account that does not exist is made with too little gas",
    file: "contracts/wallet/BatchExecutor.sol",
    from: "CALL_COST = 40_000",
    to: "CALL_COST = 36_000",
    tests: ["test/contracts/BatchExecutor.execute.t.sol"],
  },
  {
    what: "a call that succeeds with almost all its gas counts as exhausted",
    file: "contracts/lens/BoundedCalls.sol",
    from: "answer.exhausted = !success && gasBefore",
    to: "answer.exhausted = gasBefore",
    tests: ["test/contracts/BoundedCalls.execute.t.sol"],
  },
  {
    what: "TestIdentity gives a person the same identity at every consumer",
    file: "contracts/testing/TestIdentity.sol",
    from: "keccak256(abi.encode(block.chainid, consumer, identity))",
    to: "keccak256(abi.encode(block.chainid, identity))",
    tests: ["test/contracts/TestIdentity.t.sol"],
  },
  {
    what: "TestIdentity reads a policy from an answer without a length",
    file: "contracts/testing/TestIdentity.sol",
    from: "answer.length < 64",
    to: "answer.length < 32",
    tests: ["test/contracts/TestIdentity.t.sol"],
  },
  {
    what: "a batch that fails by an error without arguments does not say why",
    file: "contracts/wallet/BatchExecutor.sol",
    from: "gt(returndatasize(), 0x00)",
    to: "gt(returndatasize(), 0x20)",
    tests: ["test/contracts/BatchExecutor.execute.t.sol"],
  },
  {
    what: "more of an answer is kept than the limit allows",
    file: "contracts/lens/BoundedCalls.sol",
    from: "                kept := sizeLimit\n",
    to: "                kept := add(sizeLimit, 1)\n",
    tests: ["test/contracts/BoundedCalls.execute.t.sol"],
  },
  {
    what: "OpenZeppelin's validator refuses every consumer that can be upgraded",
    file: "contracts/VerifyConsumer.sol",
    from: "    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable\n",
    to: "",
    tests: ["test/examples/upgradeable.long.test.ts"],
  },
  {
    what: "the example's cutoff moves with each upgrade",
    file: "examples/upgradeable/contracts/Poll.sol",
    from: "return _openedAt;",
    to: "return _openedAt == 0 ? 0 : block.number;",
    tests: ["test/examples/upgradeable.long.test.ts"],
  },
  {
    what: "an account proves itself for any number of wallets, and so counts any number of times",
    file: "contracts/examples/AccountProof.sol",
    from: "_verifyOnce(identityHash, expiration, signature);",
    to: "_verify(identityHash, expiration, signature);",
    tests: [
      "test/contracts/examples/JointAirdrop.t.sol: test_prove_RevertWhen_TheAccountBelongsToAnotherWallet",
    ],
  },
  {
    what: "an airdrop that wants no proof pays everybody",
    file: "contracts/examples/JointAirdrop.sol",
    from: "if (proofs_.length == 0) revert NoProofs();",
    to: "",
    tests: ["test/contracts/examples/JointAirdrop.t.sol: test_constructor_RevertWhen_ThereIsNoProof"],
  },
  {
    what: "one account of several is enough for a claim",
    file: "contracts/examples/JointAirdrop.sol",
    from: "i < _proofs.length; ++i",
    to: "i < 1; ++i",
    tests: ["test/contracts/examples/JointAirdrop.t.sol: test_claim_RevertWhen_OneAccountIsMissing"],
  },
  {
    what: "a person backs any number of agents",
    file: "contracts/examples/HumanBackedAgents.sol",
    from: "        if (slot >= AGENTS_PER_PERSON) revert SlotNotFound(slot);\n",
    to: "",
    tests: ["test/contracts/examples/HumanBackedAgents.t.sol: testFuzz_back_GivesNobodyMoreThanThreeAgents"],
  },
  {
    what: "anybody takes the person from an agent",
    file: "contracts/examples/HumanBackedAgents.sol",
    from: `        if (_backings[agent][msg.sender] == 0) revert NotBacker(agent, msg.sender);
        delete _backings[agent][msg.sender];
`,
    to: "        delete _backings[agent][backerOf[agent]];\n",
    tests: [
      "test/contracts/examples/HumanBackedAgents.t.sol: test_release_RevertWhen_TheCallerIsNotTheBacker",
    ],
  },
  {
    what: "a person counts for an agent of somebody else, which never accepted",
    file: "contracts/examples/HumanBackedAgents.sol",
    from: "        emit AgentBacked(",
    to: "        backerOf[agent] = msg.sender;\n        emit AgentBacked(",
    tests: ["test/contracts/examples/HumanBackedAgents.t.sol: test_back_LeavesAnAgentToThoseWhomItAccepts"],
  },
  {
    what: "anybody spends the verification of a person who is about to sign up",
    file: "contracts/examples/VerifiedPolicy.sol",
    from: "        if (msg.sender != guarded) revert TargetOnly();\n",
    to: "",
    tests: [
      "test/contracts/examples/VerifiedPolicy.t.sol: testFuzz_enforce_RevertWhen_TheCallerIsNotTheTarget",
    ],
  },
  {
    what: "a person signs up again from another wallet",
    file: "contracts/examples/VerifiedPolicy.sol",
    from: "_verifyOnceFor(subject, 0, identityHash, expiration, signature);",
    to: "_verifyFor(subject, identityHash, expiration, signature);",
    tests: [
      "test/contracts/examples/VerifiedPolicy.t.sol: test_enforce_RevertWhen_ThePersonHasSignedUpFromAnotherWallet",
    ],
  },
];
