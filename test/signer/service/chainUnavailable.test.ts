import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, randomBytes, Wallet } from "ethers";
import { type Answer, type Behaviour, hideLocalNode, serveProxy } from "../../fixtures/chain/proxy.ts";
import { holdTimeLimits } from "../../fixtures/holdTimers.ts";
import { passTime } from "../../fixtures/passTime.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { signedRequest, signInMessage } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

const json = (body: unknown) => (response: ServerResponse) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(body));
};
const answering = (method: string, change: (answer: Answer) => void): Behaviour => ({
  answer: (asked, answer) => {
    if (asked === method) change(answer);
  },
});
const result = (value: unknown) => (answer: Answer) => {
  answer.result = value;
};
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
/** Writes for ever, as much at a time as is taken. */
const flood = (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" });
  const chunk = "x".repeat(1 << 20);
  const fill = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", fill);
  fill();
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
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answered };
  }

  /** @param endTime Called when the node has been asked so often: where nothing else ends the request. */
  async function expectUnavailable(
    behaviour: Behaviour,
    { asked = 1, endTime = () => {} }: { asked?: number; endTime?: () => void } = {},
  ) {
    const { proxy, service } = await fixture();
    const request = await signedRequest(participant.wallet, participant.address);
    expect((await ask(service.url, request)).status).to.equal(200);
    const before = proxy.batches.length;
    proxy.behaviour = behaviour;
    const answered = ask(service.url, request);
    while (proxy.batches.length < before + asked) await setImmediate();
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
    "answers HTTP 500": { respond: (response) => response.writeHead(500).end("[]") },
    "answers HTTP 429": { respond: (response) => response.writeHead(429).end() },
    "answers far more than it was asked": answering("eth_chainId", (answer) => {
      Object.assign(answer, { padding: "x".repeat(5 * 1024 * 1024) });
    }),
    "answers a page": { respond: (response) => response.end("<html></html>") },
    "answers nothing": { respond: (response) => response.end() },
    "answers a single error": { respond: json({ jsonrpc: "2.0", id: null, error: { code: -32600 } }) },
    "answers an empty batch": { respond: json([]) },
    "answers a batch of nulls": { respond: json([null, null, null, null]) },
    "answers without results": { respond: json([0, 1, 2, 3].map((id) => ({ jsonrpc: "2.0", id }))) },
    "is on another chain": answering("eth_chainId", result("0xa")),
    "answers a chain id that is none": answering("eth_chainId", result(84532)),
    "fails eth_call as geth does": answering("eth_call", failing(-32000)),
    "fails eth_call as if the contract had reverted": answering("eth_call", failing(3)),
    "ignores the state override": answering("eth_call", result("0x")),
    "answers eth_call with half of the answer": answering("eth_call", (answer) => {
      answer.result = String(answer.result).slice(0, 400);
    }),
    "answers eth_call with null": answering("eth_call", result(null)),
    "has no blocks": answering("eth_getBlockByNumber", result(null)),
    "fails eth_getBlockByNumber": answering("eth_getBlockByNumber", failing(-32000)),
    "answers a block without a timestamp": answering("eth_getBlockByNumber", result({ number: "0x1" })),
    "answers a block of the far future": answering(
      "eth_getBlockByNumber",
      result({ number: "0x1", timestamp: `0x${"f".repeat(30)}` }),
    ),
  };
  for (const [name, behaviour] of Object.entries(cases)) {
    it(`gives chain_unavailable when it ${name}`, () => expectUnavailable(behaviour));
  }

  it("gives chain_unavailable when it redirects, even to a good node", async () => {
    const location = stack.rpcUrl;
    await expectUnavailable({ respond: (response) => response.writeHead(307, { location }).end() });
  });

  const late: Record<string, Behaviour> = {
    "is silent": { respond: () => undefined },
    "says no more than that it will answer": {
      respond: (response) => void response.writeHead(200).flushHeaders(),
    },
    "answers a little at a time": { respond: trickle },
  };
  for (const [name, behaviour] of Object.entries(late)) {
    it(`gives chain_unavailable after four seconds when it ${name}`, async () => {
      const { limits, end } = holdTimeLimits();
      await expectUnavailable(behaviour, { endTime: end });
      expect(new Set(limits)).to.have.keys(4_000);
    });
  }

  it("gives chain_unavailable if an answer arrives too old and the next one not at all", async () => {
    const { end } = holdTimeLimits();
    let readings = 0;
    const answer = async (method: string) => {
      if (method !== "eth_call") return;
      if (++readings > 1) return new Promise<never>(() => undefined);
      passTime(2_001);
    };
    await expectUnavailable({ answer }, { asked: 2, endTime: end });
  });

  it("gives chain_unavailable when it floods with an answer that does not end, whatever time that takes", async () => {
    holdTimeLimits();
    await expectUnavailable({ respond: flood });
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

  it("gives chain_unavailable when it does not have a cutoff block that exists", async () => {
    const { consumer, wallet, address } = await stack.participate();
    const cutoff = await stack.provider.getBlockNumber();
    await (await consumer.getFunction("setCutoffBlock")(cutoff)).wait();
    const { proxy, service } = await fixture();
    const request = await signedRequest(wallet, address);
    proxy.behaviour = {
      answer: (method, answer) => {
        const { number } = (answer.result ?? {}) as { number?: string };
        if (method === "eth_getBlockByNumber" && Number(number) === cutoff) answer.result = null;
      },
    };
    expect((await ask(service.url, request)).body.code).to.equal("chain_unavailable");
    proxy.behaviour = {};
    expect((await ask(service.url, request)).body.code ?? 200).to.be.oneOf([200, "needs_reauth"]);
  });

  describe("but is no obstacle", () => {
    const wallClock = () => Math.floor(Date.now() / 1000);
    const secrets = {
      IDENTITY_SIGNING_KEY: hexlify(randomBytes(32)),
      IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
    };

    /** A service, with keys of its own unless said otherwise, so that it may serve a node that is not local. */
    async function strangerFixture(behaviour: Behaviour, env: Record<string, string> = secrets) {
      const own = await startStack(env);
      const { signer } = own.service;
      if (env === secrets) await (await own.registryContract.getFunction("addSigner")(signer)).wait();
      const { consumer, wallet } = await own.participate();
      const proxy = await serveProxy(own.rpcUrl);
      proxy.behaviour = behaviour;
      const service = await startTestSigner({
        IDENTITY_RPC_URL: proxy.url,
        IDENTITY_REGISTRY: own.registry,
        IDENTITY_DATABASE_URL: own.service.config.databaseUrl,
        ...env,
      });
      const request = await signedRequest(wallet, await consumer.getAddress());
      return { own, expiration: async () => (await ask(service.url, request)).body.expiration };
    }

    const withoutPending: Behaviour = {
      answer: (method, answer) => {
        const { number } = (answer.result ?? {}) as { number?: string | null };
        if (method === "eth_getBlockByNumber" && number === null) answer.result = null;
      },
    };

    it("without a pending block: the later of the latest block and the wall clock counts", async () => {
      const { own, expiration } = await strangerFixture(withoutPending, {});
      const before = wallClock();
      expect(await expiration()).to.be.within(before + 300, wallClock() + 300);
      await own.provider.send("evm_increaseTime", [86_400]);
      await own.provider.send("evm_mine", []);
      const latest = await own.provider.getBlock("latest");
      expect(await expiration()).to.equal((latest?.timestamp ?? 0) + 300);
    });

    it("when its block to come is a day ahead: a minute after its latest block is believed", async () => {
      const { own, expiration } = await strangerFixture(hideLocalNode);
      const { timestamp } = (await own.provider.getBlock("latest")) ?? { timestamp: 0 };
      await own.provider.send("evm_increaseTime", [86_400]);
      expect(await expiration()).to.equal(timestamp + 360);
    });

    it("when it refuses, by HTTP 403, to say whether it is local", async () => {
      const { expiration } = await strangerFixture({
        only: "hardhat_metadata",
        respond: (response) => response.writeHead(403).end(),
      });
      expect(await expiration()).to.be.a("number");
    });
  });
});

interface Answered {
  readonly code?: string;
  readonly expiration?: number;
}
