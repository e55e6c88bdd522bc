import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { TypedDataEncoder, Wallet } from "ethers";
import { generate } from "../../bench/load/generate.ts";
import type { LoadTask, Pace, PreparedRequest } from "../../bench/load/task.ts";
import { verificationDomain, verificationTypes } from "../../packages/protocol/verification.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { rejection } from "../fixtures/rejection.ts";

const hex = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;
const registry = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const chainId = 84532;
const signer = Wallet.createRandom();

/** Three people, who ask for one contract. The body says who, so that what answers them need not read a message. */
const policyHash = hex(32);
const requests: PreparedRequest[] = Array.from({ length: 3 }, (_, i) => ({
  body: String(i),
  user: hex(20),
  policyHash,
}));
const identities = requests.map(() => hex(32));

interface Given {
  readonly status: number;
  readonly body: string;
}
type Spoil = (given: {
  user: string;
  identityHash: string;
  expiration: number;
  policyHash: string;
}) => object;

/** A right answer to the request, but for what is wrong with it on purpose. */
function answer(
  i: number,
  spoil: Spoil = () => ({}),
  by: { signingKey: Wallet["signingKey"] } = signer,
): Given {
  const right = {
    user: requests[i]?.user ?? "",
    identityHash: identities[i] ?? "",
    policyHash,
    expiration: Math.floor(Date.now() / 1000) + 300,
  };
  const signed = { ...right, ...spoil(right) };
  const digest = TypedDataEncoder.hash(verificationDomain({ chainId, registry }), verificationTypes, signed);
  const { identityHash, expiration } = signed;
  const { serialized } = by.signingKey.sign(digest);
  return { status: 200, body: JSON.stringify({ identityHash, expiration, signature: serialized }) };
}

/** A service that answers the third person and those after as it is told, and the others rightly. */
async function serve(third: (i: number) => Given | Promise<Given>) {
  let count = 0;
  const { url } = await serveHttp(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const i = Number(Buffer.concat(parts));
    const { status, body } = await (++count < 3 ? answer(i) : third(i));
    response.writeHead(status, { "content-length": Buffer.byteLength(body) }).end(body);
  });
  return url;
}

const run = (url: string, pace: Pace = { kind: "closed" }, limits: Partial<LoadTask> = { atMost: 6 }) =>
  generate({
    url,
    pid: process.pid,
    pace,
    connections: 2,
    requests,
    seconds: 60,
    signing: { chainId, registry, signer: signer.address.toLowerCase() },
    ...limits,
  });

describe("The load generator", () => {
  it("counts the answers, each of which it has checked, and what the process has used", async () => {
    for (const pace of [
      { kind: "closed" },
      { kind: "open", rate: 500 },
      { kind: "idle", pauseMs: 1 },
    ] as const) {
      const outcome = await run(await serve((i) => answer(i)), pace);
      expect(outcome.checked, pace.kind).to.equal(6);
      expect(outcome.residentBytes).to.be.greaterThan(1e7);
      expect(outcome.cpuSeconds).to.be.at.least(0);
      expect(outcome.p50).to.be.at.most(outcome.p99);
      expect(outcome.p99).to.be.at.most(outcome.longest);
    }
  });

  const wrong: Record<string, [given: (i: number) => Given, problem: RegExp]> = {
    "that somebody else signed": [(i) => answer(i, undefined, Wallet.createRandom()), /was signed by 0x/],
    "that is for another wallet": [(i) => answer(i, () => ({ user: hex(20) })), /was signed by 0x/],
    "that is for another policy": [(i) => answer(i, () => ({ policyHash: hex(32) })), /was signed by 0x/],
    "that has expired long ago": [
      (i) => answer(i, ({ expiration }) => ({ expiration: expiration - 3_600 })),
      /expires at/,
    ],
    "that never expires": [
      (i) => answer(i, ({ expiration }) => ({ expiration: expiration * 2 })),
      /expires at/,
    ],
    "in which a wallet is another identity than before": [
      (i) => answer(i, () => ({ identityHash: hex(32) })),
      /is two identities/,
    ],
    "in which it is the identity of another wallet": [
      (i) => answer(i, () => (i === 2 ? { identityHash: identities[0] } : {})),
      /is another's identity/,
    ],
    "that is no verification": [() => ({ status: 200, body: "{}" }), /identity hash/],
    "that is a refusal": [() => ({ status: 503, body: "later" }), /Status 503: later/],
    "of another status, though it is right": [(i) => ({ ...answer(i), status: 201 }), /Status 201/],
  };
  for (const [name, [given, problem]] of Object.entries(wrong)) {
    it(`has no outcome where there is an answer ${name}`, async () => {
      const { message } = await rejection(run(await serve(given)));
      expect(message).to.match(/^[1-4] of 6 answers are wrong/);
      expect(message).to.match(problem);
    });
  }

  it("has no outcome where a request is not answered", async () => {
    const { url } = await serveHttp((request) => void request.socket.destroy());
    const { message } = await rejection(run(url));
    expect(message).to.match(/^6 of 6 answers are wrong.*Status 0: /);
  });

  it("sends by the clock whatever becomes of the requests before, and charges those that waited with it", async () => {
    const limits = { seconds: 1, connections: 1 };
    const pace = { kind: "open", rate: 100 } as const;
    const quick = await run(await serve((i) => answer(i)), pace, limits);
    let stall: Promise<void> | undefined;
    const slow = await serve(async (i) => {
      // Once, until everything else is due.
      stall ??= delay(1_000);
      await stall;
      return answer(i);
    });
    const stalled = await run(slow, pace, limits);
    expect(stalled.checked).to.equal(quick.checked);
    // Had it waited with sending, one request alone would have been slow.
    expect(stalled.p50).to.be.greaterThan(100);
  });
});
