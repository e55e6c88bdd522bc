import type { Fault } from "./fault.ts";

const sequential = ["test/wallet/sequential.test.ts"];
const announced = ["test/wallet/announce.test.ts"];

export const faults: readonly Fault[] = [
  {
    what: "a batch that fails has the receipt of another transaction of the account",
    file: "packages/wallet/internal/submit.ts",
    from: " && BigInt(nonce) === BigInt(transaction.nonce)",
    to: "",
    tests: sequential,
  },
  {
    what: "a page signs with an account that the person has not permitted it",
    file: "packages/wallet/announce.ts",
    from: "      if (isPermitted) return undefined;",
    to: "      if (isPermitted || permission.accounts.length > 0) return undefined;",
    tests: announced,
  },
  {
    what: "a batch that is mined later loses the reason why it failed",
    file: "packages/wallet/internal/submit.ts",
    from: "return { gas, revertData: revertDataOf(error) };",
    to: "return { gas, revertData: undefined };",
    tests: [
      "test/client/calls/sendCalls.test.ts: reports why a batch was reverted that was mined later, and what to do about it",
    ],
  },
  {
    what: "rejectNext waits for the next batch while transactions and signatures pass",
    file: "packages/wallet/createWallet.ts",
    from: 'new Set(["eth_sendTransaction", "eth_signTypedData_v4"])',
    to: 'new Set(["eth_signTypedData_v4"])',
    tests: [
      "test/wallet/settings.test.ts: rejects whatever the user is asked next, once, and nothing afterwards",
    ],
  },
  {
    what: "a batch that the user approved is rejected in its middle",
    file: "packages/wallet/createWallet.ts",
    from: " && !state.isSubmitting",
    to: "",
    tests: ["test/wallet/settings.test.ts: rejects no part of a batch that was approved before"],
  },
  {
    what: "viem's and wagmi's batches are refused by default",
    file: "packages/wallet/settings.ts",
    from: "  acceptMissingValue: true,",
    to: "  acceptMissingValue: false,",
    tests: ["test/wallet/announce.test.ts: serves wagmi's injected connector"],
  },
];
