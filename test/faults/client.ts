import type { Fault } from "./fault.ts";

const askService = ["test/client/verification/askService.test.ts"];
const encodeCall = ["test/client/calls/encodeCall.test.ts"];
const polling = ["test/client/polling.test.ts"];

export const faults: readonly Fault[] = [
  {
    what: "the date of Retry-After is read as milliseconds, so a client gives up at once",
    file: "client/internal/askService.ts",
    from: "(Date.parse(value) - Date.now()) / 1000",
    to: "(Date.parse(value) - Date.now())",
    tests: askService,
  },
  {
    what: "credentials are sent to the service",
    file: "client/internal/askService.ts",
    from: `credentials: "omit"`,
    to: `credentials: "include"`,
    tests: askService,
  },
  {
    what: "a silent server is asked for ever",
    file: "client/internal/askService.ts",
    from: " || attempt === attempts)",
    to: ")",
    tests: askService,
  },
  {
    what: "an internal error of the service is asked again",
    file: "client/internal/askService.ts",
    from: "status === 429 || status === 503",
    to: "status === 429 || (status ?? 0) >= 500",
    tests: askService,
  },
  {
    what: "an app is told to redirect without being told where to",
    file: "client/internal/askService.ts",
    from: ` || (identityErrorActions[code] === "redirect" && !isWebUrl(verifyUrl))`,
    to: "",
    tests: askService,
  },
  {
    what: "a verification that expires in second 2^40, which no contract can take, is passed on",
    file: "client/verification/requestVerification.ts",
    from: "expiration < 2 ** 40",
    to: "expiration <= 2 ** 40",
    tests: askService,
  },
  {
    what: "a verifyUrl that has a redirect_uri already sends the user there",
    file: "client/verification/requestVerification.ts",
    from: `url.searchParams.set("redirect_uri"`,
    to: `url.searchParams.append("redirect_uri"`,
    tests: ["test/client/verification/requestVerification.test.ts"],
  },
  {
    what: "a node that is down is asked as often as one that answers",
    file: "client/internal/poll.ts",
    from: "failures === 0 ? interval : Math.min(2 ** failures, longestPause) * interval",
    to: "interval",
    tests: polling,
  },
  {
    what: "every reading leaves a listener at the app's signal",
    file: "client/internal/poll.ts",
    from: `.finally(() => signal.removeEventListener("abort", abort))`,
    to: "",
    tests: polling,
  },
  {
    what: "every pause leaves a listener at the app's signal",
    file: "client/internal/poll.ts",
    from: `      signal?.removeEventListener("abort", abort);\n`,
    to: "",
    tests: polling,
  },
  {
    what: "a node that takes its time is asked more seldom than the app wants",
    file: "client/internal/poll.ts",
    from: "Math.max(0, pause - (Date.now() - started))",
    to: "pause",
    tests: polling,
  },
  {
    what: "of two functions with as many parameters, the one cannot be chosen whose parameters are given",
    file: "client/calls/encodeCall.ts",
    from: `inputs.length === given.size && inputs.every(({ name }) => given.has(name ?? ""))`,
    to: "inputs.length === given.size",
    tests: encodeCall,
  },
  {
    what: "a user who leaves during a pause is still waited for",
    file: "client/internal/askService.ts",
    from: "await wait(pause * (1 + Math.random() / 4), signal);",
    to: "await wait(pause * (1 + Math.random() / 4), undefined);",
    tests: askService,
  },
  {
    what: "an error repeats all of what was given, however long",
    file: "client/internal/arguments.ts",
    from: `text.length > 90 ? \`\${text.slice(0, 90)}…\` : text`,
    to: "text",
    tests: encodeCall,
  },
  {
    what: "a node's URL in place of the service's is not recognised",
    file: "client/internal/askService.ts",
    from: "if (jsonrpc !== undefined) {",
    to: "if (jsonrpc === null) {",
    tests: ["test/client/verification/askService.test.ts"],
  },
  {
    what: "an app on a page without a wallet gets a TypeError",
    file: "client/internal/rpc.ts",
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
    what: "a wallet that is on another chain counts as no wallet in the example app",
    file: "examples/app/src/useVerification.ts",
    from: ", assertChainId: false",
    to: "",
    tests: ["test/examples/app.long.test.ts"],
  },
];
