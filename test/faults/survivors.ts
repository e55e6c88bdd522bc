/** A mutant that no test notices, and why none should. */
interface Survivor {
  readonly file: string;
  /** The code before and after, as `npm run faults -- --mutants` prints it. */
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const survivors: readonly Survivor[] = [
  {
    file: "contracts/VerifyConsumer.sol",
    from: "return 0;",
    to: "{}",
    why: "A function without a `return` returns zero as well.",
  },
  {
    file: "contracts/VerifyOnce.sol",
    from: "revert IdentityAlreadyUsed(identityHash);",
    to: "{}",
    why: "The caller reverts with the same error if this hook returns.",
  },
  {
    file: "contracts/VerifyOnce.sol",
    from: "_revertIdentityUsed(identityHash);",
    to: "{}",
    why: "The next line reverts with the hook's own error. The tests of `IncentiveProgram`, whose hook has another, notice it.",
  },
];
