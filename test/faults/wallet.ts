import type { Fault } from "./fault.ts";

const sequential = ["test/wallet/sequential.test.ts"];
const announced = ["test/wallet/announce.test.ts"];

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
  {
    what: "a page signs with an account that the person has not permitted it",
    file: "wallet/announce.ts",
    from: "      if (isPermitted) return undefined;",
    to: "      if (isPermitted || permission.accounts.length > 0) return undefined;",
    tests: announced,
  },
  {
    what: "a page has typed data signed without permission",
    file: "wallet/announce.ts",
    from: "    eth_signTypedData_v4: 0,\n",
    to: "",
    tests: announced,
  },
  {
    what: "a page that was disconnected is connected again when it is loaded again",
    file: "wallet/announce.ts",
    from: "page.sessionStorage.setItem(key, JSON.stringify(accounts));",
    to: "if (accounts.length > 0) page.sessionStorage.setItem(key, JSON.stringify(accounts));",
    tests: announced,
  },
  {
    what: "a page that announces the wallet twice has two",
    file: "wallet/announce.ts",
    from: "if (before !== undefined) return before.provider;",
    to: "",
    tests: announced,
  },
  {
    what: "the person's refusal connects the page all the same",
    file: "wallet/internal/methods/requestAccounts.ts",
    from: "  takeRejection(state);\n",
    to: "",
    tests: announced,
  },
];
