import type { Fault } from "./fault.ts";

const identityHash = ["test/protocol/identityHash.test.ts"];
const policy = ["test/protocol/policy.test.ts"];
const signIn = ["test/protocol/signIn.test.ts"];

export const faults: readonly Fault[] = [
  {
    what: "checksums are kept without end, and strangers' addresses fill the memory",
    file: "packages/protocol/address.ts",
    from: "  if (known.size >= keptChecksums) known.clear();\n",
    to: "",
    tests: ["test/protocol/address.test.ts"],
  },
  {
    what: "an error shows the signature that a wallet repeats",
    file: "packages/protocol/rpcError.ts",
    from: `line.replace(/0x[0-9a-f]{65,}/gi, "0x…")`,
    to: "line",
    tests: ["test/protocol/rpcError.test.ts"],
  },
  {
    what: "the identity hash is not keyed: anyone who knows the accounts can name the people",
    file: "packages/protocol/hashes.ts",
    from: "(key) => (bytes) => hex(hmac(sha256, key, hexToBytes(bytes.slice(2))))",
    to: "() => (bytes) => hex(hmac(sha256, new Uint8Array(32), hexToBytes(bytes.slice(2))))",
    tests: [
      "test/protocol/identityHash.test.ts: is the design's formula, written out by hand: ${vector.name}",
    ],
  },
  {
    what: "apps compare what they know: one person has the same hash at every consumer",
    file: "packages/protocol/protocolHashes.ts",
    from: `\${addressWord(consumer)}`,
    to: `\${"00".repeat(32)}`,
    tests: [
      "test/protocol/identityHash.test.ts: gives another identity hash to another consumer, chain, account or master secret",
    ],
  },
  {
    what: "an account counts as the same id's at another provider",
    file: "packages/protocol/protocolHashes.ts",
    from: "[provider, accountId]",
    to: `["", accountId]`,
    tests: identityHash,
  },
  {
    what: "a message that names two contracts is for the first of them",
    file: "packages/protocol/signIn/check.ts",
    from: "if (another !== undefined) {",
    to: "if (another !== undefined && named.size > 2) {",
    tests: signIn,
  },
  {
    what: "a contract's address with a wrong checksum is repaired",
    file: "packages/protocol/signIn/check.ts",
    from: "  if (!casings.every((address) => allowed.includes(address))) throw new InvalidInputError(wrongAddress);\n",
    to: "",
    tests: signIn,
  },
  {
    what: "a message of more than 4,096 bytes is read where it has no more characters than that",
    file: "packages/protocol/signIn/limit.ts",
    from: "new TextEncoder().encode(message).length",
    to: "message.length",
    tests: signIn,
  },
  {
    what: "a trait counts that nobody gave",
    file: "packages/protocol/policy.ts",
    from: "Object.hasOwn(traits, name) ? traits[name] : undefined",
    to: "traits[name]",
    tests: policy,
  },
  {
    what: "a provider's name may be of any length",
    file: "packages/protocol/policy.ts",
    from: "const texts = [provider, ...conditions",
    to: "const texts = [...conditions",
    tests: policy,
  },
  {
    what: "an account may have fewer than no followers",
    file: "packages/protocol/traits.ts",
    from: ' || (entry.type === "int" && text.startsWith("-"))',
    to: "",
    tests: ["test/protocol/traits.test.ts"],
  },
  {
    what: "a text in a test's traits passes as a number",
    file: "packages/protocol/traits.ts",
    from: 'type !== "string" && typeof value === "string" ? undefined :',
    to: "",
    tests: ["test/protocol/traits.test.ts: refuses a text for an integer or a boolean, by the trait's name"],
  },
  {
    what: "a sign-in message may name a second contract as EIP155",
    file: "packages/protocol/signIn/check.ts",
    from: "(.*)/i.exec",
    to: "(.*)/.exec",
    tests: ["test/protocol/signIn.test.ts"],
  },
];
