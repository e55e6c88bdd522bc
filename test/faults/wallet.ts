import type { Fault } from "./fault.ts";

const sequential = ["test/wallet/sequential.test.ts"];

export const faults: readonly Fault[] = [
  {
    what: "a batch that fails has the receipt of another transaction of the account",
    file: "wallet/internal/submit.ts",
    from: " && BigInt(nonce) === BigInt(transaction.nonce)",
    to: "",
    tests: sequential,
  },
  {
    what: "a batch that fails has the receipt of another account's transaction of the same nonce",
    file: "wallet/internal/submit.ts",
    from: "includesAddress([from], transaction.from) && ",
    to: "",
    tests: sequential,
  },
];
