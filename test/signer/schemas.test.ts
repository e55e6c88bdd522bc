import { expect } from "chai";
import { schemas } from "../../signer/schemas.ts";

const hex = (bytes: number, digits = "aB") => `0x${digits.repeat(bytes)}`;

const verification = { identityHash: hex(32), expiration: 1_900_000_000, signature: hex(65) };
const domain = { name: "SignerRegistry", version: "1", chainId: 84532, verifyingContract: hex(20) };
const chain = { chainId: 84532, registry: hex(20), signer: hex(20), domain };
const discovery = {
  endpoint: "https://identity.example/v1/onchain_verifications",
  verifyUrl: "https://identity.example/verify",
  statement: "Anything.",
  lifetime: 300,
  messageMaxAge: 600,
  chains: [chain],
  providers: { microblog: { conditions: { followers: { type: "int", operators: ["gt"] } } } },
};
const problem = {
  type: "urn:hardhat-identity:problem:internal",
  title: "Internal error",
  status: 500,
  detail: "Something.",
  message: "Something.",
  code: "internal",
};
const good = { ok: true };
const report = {
  status: "ready",
  checks: {
    chain: good,
    clock: good,
    store: good,
    key: good,
    signer: { ok: false, detail: "It." },
    erasure: good,
  },
};

/** Bodies of each schema that are as described, and bodies that are not. */
const bodies: Partial<Record<keyof typeof schemas, { right: readonly object[]; wrong: readonly object[] }>> =
  {
    VerificationRequest: {
      right: [
        { message: "", signature: "0x" },
        { message: "m", signature: hex(65), more: 1 },
      ],
      wrong: [
        { message: "m", signature: "0x1" },
        { message: "m", signature: "12" },
        { message: "m", signature: "0xgg" },
        { signature: "0x" },
        [],
      ],
    },
    SignedVerification: {
      right: [verification, { ...verification, expiration: 0 }, { ...verification, expiration: 2 ** 40 - 1 }],
      wrong: [
        { ...verification, expiration: 2 ** 40 },
        { ...verification, expiration: -1 },
        { ...verification, expiration: 1.5 },
        { ...verification, identityHash: hex(31) },
        { ...verification, identityHash: hex(32).slice(2) },
        { ...verification, signature: hex(64) },
        { ...verification, signature: hex(66) },
        { ...verification, policyHash: hex(32) },
      ],
    },
    Discovery: {
      right: [discovery, { ...discovery, chains: [], providers: {} }],
      wrong: [
        { ...discovery, lifetime: 0 },
        { ...discovery, messageMaxAge: -1 },
        { ...discovery, endpoint: "/v1/onchain_verifications" },
        { ...discovery, chains: [{ ...chain, chainId: 0 }] },
        { ...discovery, chains: [{ ...chain, registry: hex(19) }] },
        { ...discovery, chains: [{ ...chain, signer: `${hex(20)}a` }] },
        { ...discovery, chains: [{ ...chain, domain: { ...domain, verifyingContract: "" } }] },
        {
          ...discovery,
          providers: { microblog: { conditions: { followers: { type: "float", operators: [] } } } },
        },
        { ...discovery, more: 1 },
      ],
    },
    Problem: {
      right: [problem, { ...problem, verifyUrl: "https://identity.example/verify" }],
      wrong: [
        { ...problem, code: "unheard_of" },
        { ...problem, verifyUrl: null },
        { ...problem, verifyUrl: "verify" },
      ],
    },
    ReadinessReport: {
      right: [report],
      wrong: [
        { ...report, status: "not ready" },
        { ...report, checks: { chain: good, clock: good, store: good, key: good, erasure: good } },
        { ...report, checks: { chain: good, clock: good, store: good, key: good, signer: good } },
        { ...report, checks: { chain: good, store: good, key: good, signer: good, erasure: good } },
        { ...report, checks: { chain: good, clock: good, store: good, signer: good, erasure: good } },
      ],
    },
  };

describe("The described bodies", () => {
  for (const [name, { right, wrong }] of Object.entries(bodies)) {
    const fits = (body: object) => schemas[name as keyof typeof schemas].safeParse(body).success;

    it(`are those that fit ${name}, and no others`, () => {
      for (const body of right) expect(fits(body), JSON.stringify(body)).to.equal(true);
      for (const body of wrong) expect(fits(body), JSON.stringify(body)).to.equal(false);
    });
  }
});
