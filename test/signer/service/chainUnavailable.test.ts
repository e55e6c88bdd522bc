import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import { type Answer, type Behaviour, serveProxy } from "../../fixtures/chain/proxy.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";
import { signedRequest, signInMessage } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

const answering = (method: string, change: (answer: Answer) => void): Behaviour => ({
  answer: (asked, answer) => {
    if (asked === method) change(answer);
  },
});
const failing = (code: number) => (answer: Answer) => {
  delete answer.result;
  answer.error = { code, message: "the node's own words" };
};
/** Writes for ever, a little at a time. */
const trickle = (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 50);
  response.on("close", () => clearInterval(timer));
};

describe("A node that does not do its part", () => {
  let stack: Awaited<ReturnType<typeof startStack>>;
  let participant: Awaited<ReturnType<typeof stack.participate>>;

  before(async () => {
    stack = await startStack();
    participant = await stack.participate();
  });

  /** A service with the same store, behind a node that behaves well until it is told otherwise. */
  async function fixture() {
    const proxy = await serveProxy(stack.rpcUrl);
    const service = await stack.startReplica({ IDENTITY_RPC_URL: proxy.url });
    return { proxy, service };
  }

  async function ask(url: string, body: object) {
    const response = await fetch(`${url}/v1/onchain_verifications`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as { code?: string },
    };
  }

  /** @param endTime Called when the node has been asked: where nothing else ends the request. */
  async function expectUnavailable(behaviour: Behaviour, { endTime = () => {} } = {}) {
    const { proxy, service } = await fixture();
    const request = await signedRequest(participant.wallet, participant.address);
    expect((await ask(service.url, request)).status).to.equal(200);
    const before = proxy.batches.length;
    proxy.behaviour = behaviour;
    const answered = ask(service.url, request);
    while (proxy.batches.length === before) await setImmediate();
    endTime();
    const { status, headers, body } = await answered;
    expect(status, JSON.stringify(body)).to.equal(503);
    expect(body.code).to.equal("chain_unavailable");
    expect(headers.get("retry-after")).to.equal("2");
    expect(JSON.stringify(body)).not.to.include("the node's own words");
    proxy.behaviour = {};
    expect((await ask(service.url, request)).status).to.equal(200);
  }

  const cases: Record<string, Behaviour> = {
    "closes the connection": { respond: (response) => response.destroy() },
    "fails eth_call as if the contract had reverted": answering("eth_call", failing(3)),
    "fails eth_getBlockByNumber": answering("eth_getBlockByNumber", failing(-32000)),
  };
  for (const [name, behaviour] of Object.entries(cases)) {
    it(`gives chain_unavailable when it ${name}`, () => expectUnavailable(behaviour));
  }

  it("gives chain_unavailable after four seconds when it answers a little at a time", async () => {
    const { end } = holdTimers(4_000, 2_001);
    await expectUnavailable({ respond: trickle }, { endTime: end });
  });

  it("gives chain_unavailable to those who wait for their turn while it answers nobody", async () => {
    const { end } = holdTimers(4_000, 2_001);
    const { proxy, service } = await fixture();
    const { address: consumer } = participant;
    proxy.batches.length = 0;
    proxy.behaviour = { respond: () => undefined };
    const codes: unknown[] = [];
    const asked = Array.from({ length: 8 }, async () => {
      const message = signInMessage({ address: Wallet.createRandom().address, consumer });
      const { status, body } = await ask(service.url, { message, signature: "0x1234" });
      codes.push(body.code ?? status);
    });
    // Three may ask the node at once, and the others wait two seconds.
    while (codes.length < 5) await setImmediate();
    expect(proxy.batches).to.have.length(3);
    end();
    await Promise.all(asked);
    expect(codes).to.deep.equal(Array(8).fill("chain_unavailable"));
  });

  it("gives chain_unavailable for a contract wallet's signature", async () => {
    const { proxy, service } = await fixture();
    const message = signInMessage({ address: Wallet.createRandom().address, consumer: participant.address });
    proxy.behaviour = { respond: (response) => response.destroy() };
    expect((await ask(service.url, { message, signature: "0x1234" })).body.code).to.equal(
      "chain_unavailable",
    );
    proxy.behaviour = {};
    expect((await ask(service.url, { message, signature: "0x1234" })).body.code).to.equal("invalid_argument");
  });
});
