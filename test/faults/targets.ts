/** A file of which mutants are made, and the nearest tests of it, as patterns of paths, in the order in which they run. */
export interface Target {
  readonly file: string;
  readonly tests: readonly string[];
}

/** The audited contracts, and what the service goes through to issue a verification. */
export const targets: readonly Target[] = [
  {
    file: "contracts/SignerRegistry.sol",
    tests: ["test/contracts/SignerRegistry.*.t.sol", "test/contracts/vectors.t.sol"],
  },
  {
    file: "contracts/VerifyConsumer.sol",
    tests: ["test/contracts/VerifyConsumer.t.sol", "test/contracts/VerifyOnce.verifyOnce.t.sol"],
  },
  { file: "contracts/VerifyOnce.sol", tests: ["test/contracts/VerifyOnce.*.t.sol"] },
  { file: "contracts/VerifyPaced.sol", tests: ["test/contracts/VerifyPaced.t.sol"] },
  {
    file: "signer/internal/service/issueVerification.ts",
    tests: [
      "test/signer/service/refusals.test.ts",
      "test/signer/service/verification.test.ts",
      "test/signer/service/clock.test.ts",
      "test/signer/service/policyPins.test.ts",
      "test/signer/service/freshness.test.ts",
      "test/signer/limits/walletLimit.test.ts",
      "test/operator/cli/auditReport.test.ts",
    ],
  },
  {
    file: "packages/protocol/judgeCredential.ts",
    tests: ["test/protocol/judgeCredential.test.ts", "test/signer/service/refusals.test.ts"],
  },
  { file: "packages/protocol/signIn/check.ts", tests: ["test/protocol/signIn.test.ts"] },
];
