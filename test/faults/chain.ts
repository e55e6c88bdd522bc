import type { Fault } from "./fault.ts";

const policy = ["test/chain/policy.test.ts"];
const registry = ["test/chain/registry.test.ts"];
const connect = ["test/chain/connect.test.ts"];
const localNode = ["test/chain/localNode.test.ts"];
const clock = ["test/chain/clock.test.ts"];

export const faults: readonly Fault[] = [
  {
    what: "a wallet that reverts with the magic value has signed",
    file: "packages/chain/signature.ts",
    from: "return hasCode && success &&",
    to: "return hasCode &&",
    tests: ["test/chain/signature.test.ts: refuses a wallet that reverts with the magic value"],
  },
  {
    what: "the magic value counts without its padding, as a number's last bytes or in longer data",
    file: "packages/chain/signature.ts",
    from: `data === accepted.padEnd(66, "0")`,
    to: "data.includes(accepted.slice(2))",
    tests: ["test/chain/signature.test.ts: wants the padded magic value from a static call"],
  },
  {
    what: "a wallet that is deployed while it is asked about answers as a stranger's factory wants",
    file: "packages/chain/signature.ts",
    from: "before?.hasCode === false && isAccepted(after)",
    to: "isAccepted(after)",
    tests: ["test/chain/signature.test.ts: keeps the wallet's answer if it is deployed meanwhile"],
  },
  {
    what: "an answer without end is read to its end",
    file: "packages/chain/boundedCalls.ts",
    from: "calls.map((call) => ({ changesState: false, required: false, ...call })),",
    to: "calls.map((call) => ({ changesState: false, required: false, ...call, sizeLimit: 1_000_000 })),",
    tests: ["test/chain/boundedCalls.test.ts: reads no more of an answer than its limit"],
  },
  {
    what: "a cutoffBlock() that reverts with a word is taken for that word",
    file: "packages/chain/policy.ts",
    from: "answer.success && answer.size >= 32",
    to: "answer.size >= 32",
    tests: policy,
  },
  {
    what: "a contract that answers isSigner with more than a word is a registry",
    file: "packages/chain/registry.ts",
    from: "success && size === 32)",
    to: "success && size >= 32)",
    tests: registry,
  },
  {
    what: "any word but zero is a yes to isSigner",
    file: "packages/chain/registry.ts",
    from: "?? 0) === 1n)",
    to: "?? 0) !== 0n)",
    tests: registry,
  },
  {
    what: "a node that limits our rate has refused, so that it is taken for one that is not local",
    file: "packages/chain/connect.ts",
    from: " && status !== 429",
    to: "",
    tests: localNode,
  },
  {
    what: "each round trip gets four seconds of its own",
    file: "packages/chain/connect.ts",
    from: "endsAt ??= now + timeLimit;",
    to: "endsAt = now + timeLimit;",
    tests: connect,
  },
  {
    what: "the node's time begins when the conversation is opened, however long the service is busy",
    file: "packages/chain/connect.ts",
    from: "let endsAt: number | undefined;",
    to: "let endsAt: number | undefined = performance.now() + timeLimit;",
    tests: connect,
  },
  {
    what: "who joins a reading waits for it without a limit of their own",
    file: "packages/chain/connect.ts",
    from: "within(left(), answer, timeout)",
    to: "answer",
    tests: connect,
  },
  {
    what: "the clock of a public chain that is behind is believed",
    file: "packages/chain/clock.ts",
    from: "Math.min(Math.max(told, wallClock - maxDrift), wallClock + maxDrift)",
    to: "Math.min(told, wallClock + maxDrift)",
    tests: clock,
  },
  {
    what: "a time is believed after which the longest verification would not fit its 40 bits",
    file: "packages/chain/clock.ts",
    from: "2 ** 40 - 1 - 3_600",
    to: "2 ** 40 - 1",
    tests: clock,
  },
  {
    what: "a read can be joined for ever",
    file: "packages/protocol/sharedRead.ts",
    from: "one === undefined || performance.now() >= one.until",
    to: "one === undefined",
    tests: ["test/protocol/sharedRead.test.ts"],
  },
  {
    what: "whatever a public node answers to hardhat_metadata makes it a local one",
    file: "packages/chain/localNode.ts",
    from: `return typeof answer === "object" && answer !== null ? answer : undefined;`,
    to: "return Object(answer);",
    tests: localNode,
  },
  {
    what: "the last of several calls gets less gas than it is due",
    file: "packages/chain/boundedCalls.ts",
    from: "Math.ceil((call.gasLimit * 64) / 63) + overhead",
    to: "call.gasLimit",
    tests: ["test/chain/boundedCalls.test.ts"],
  },
  {
    what: "a signature with half a byte is the service's own error",
    file: "packages/chain/signature.ts",
    from: "  if (!isBytesLike(signature)) return false;\n",
    to: "",
    tests: ["test/chain/signature.test.ts"],
  },
];
