import type { Fault } from "./fault.ts";

const askService = ["test/client/verification/askService.test.ts"];
const encodeCall = ["test/client/calls/encodeCall.test.ts"];
const polling = ["test/client/polling.test.ts"];

export const faults: readonly Fault[] = [
  {
    what: "the date of Retry-After is read as milliseconds, so a client gives up at once",
    file: "packages/client/internal/readProblem.ts",
    from: "(Date.parse(value) - Date.now()) / 1000",
    to: "(Date.parse(value) - Date.now())",
    tests: askService,
  },
  {
    what: "a verifyUrl that has a redirect_uri already sends the user there",
    file: "packages/client/verification/requestVerification.ts",
    from: `url.searchParams.set("redirect_uri"`,
    to: `url.searchParams.append("redirect_uri"`,
    tests: ["test/client/verification/requestVerification.test.ts"],
  },
  {
    what: "a node that is down is asked as often as one that answers",
    file: "packages/client/internal/poll.ts",
    from: "Math.min(2 ** failures, longestPause) * interval",
    to: "interval",
    tests: polling,
  },
  {
    what: "of two functions with as many parameters, the one cannot be chosen whose parameters are given",
    file: "packages/client/calls/encodeCall.ts",
    from: `inputs.length === own.size && inputs.every(({ name }) => own.has(name ?? ""))`,
    to: "inputs.length === own.size",
    tests: encodeCall,
  },
  {
    what: "an app on a page without a wallet gets a TypeError",
    file: "packages/client/internal/rpc.ts",
    from: `if (typeof connection?.request !== "function") {`,
    to: `if (connection === null) {`,
    tests: ["test/client/signIn/signIn.test.ts"],
  },
  {
    what: "the state of one account's claim is shown for the account that a person switches to",
    file: "examples/app/src/useVerification.ts",
    from: "(states[account] ??",
    to: "(Object.values(states).at(-1) ??",
    tests: ["test/examples/app.long.test.ts"],
  },
  {
    what: "a wallet with a gas limit of its own sends what will revert, and the user pays",
    file: "packages/client/calls/sendCall.ts",
    from: "if (isRevert) return error;",
    to: "void isRevert;",
    tests: ["test/client/calls/sendCall.test.ts: sends nothing that reverts on the pending state"],
  },
  {
    what: "a wallet that cannot simulate cannot send",
    file: "packages/client/calls/sendCall.ts",
    from: '!["client_rpc_error", "client_user_rejected"].includes(error.code)',
    to: "true",
    tests: ["test/client/calls/sendCall.test.ts: asks the user where the simulation does not tell"],
  },
  {
    what: "a batch that was reverted does not say why",
    file: "packages/client/calls/waitForCalls.ts",
    from: "revertData = readRpcError(answer).data }",
    to: "revertData }",
    tests: ["test/client/calls/sendCalls.test.ts: finds the revert data wherever a wallet puts it"],
  },
  {
    what: "the page's fragment goes to the service",
    file: "packages/client/verification/requestVerification.ts",
    from: ".test(route) ?",
    to: ".test(`#/${route.length}`) ?",
    tests: ["test/client/verification/requestVerification.test.ts"],
  },
  {
    what: "a wallet that changes its network during the simulation sends ether on the other one",
    file: "packages/client/calls/sendCall.ts",
    from: "[{ ...transaction, chainId }]",
    to: "[transaction]",
    tests: [
      "test/client/calls/sendCall.test.ts: names it in the transaction, so a wallet on another one refuses",
    ],
  },
  {
    what: "a transaction of the same nonce on another chain counts as a replacement",
    file: "packages/client/internal/replacement.ts",
    from: "return readOnChain(node, chainId, async () => {",
    to: "return (async (run: () => Promise<{ receipt: Receipt; isSame: boolean } | undefined>) => run())(async () => {",
    tests: ["test/client/calls/sendCall.test.ts: a transaction with the same nonce is no replacement"],
  },
  {
    what: "an app is told to send the calls again of a batch that the wallet took",
    file: "packages/client/internal/poll.ts",
    from: "throw isRefused ? outcomeUnknown(error.message, error) : error;",
    to: "throw error;",
    tests: [
      "test/client/calls/sendCalls.test.ts: never advises to send the calls again once the wallet has taken the batch",
    ],
  },
  {
    what: "a wallet that signs with another account than the one asked for is believed",
    file: "packages/client/signIn/signMessage.ts",
    from: 'if (error.code === "client_wrong_account") throw error;',
    to: "void error;",
    tests: ["test/client/signIn/signIn.test.ts"],
  },
];
