import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { type Contract, type Signer, Wallet } from "ethers";
import type { Condition } from "../../../packages/protocol/policy.ts";
import { encodePolicy } from "../../../packages/protocol/policyEncoding.ts";
import { policyHasher } from "../../../packages/protocol/protocolHashes.ts";
import { type CredentialStore, openCredentialStore } from "../../../signer/index.ts";
import { createPolicyPins } from "../../../signer/internal/service/policyPins.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { passTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startOwnStack, startStack } from "../../fixtures/signer/stack.ts";

const pinsOf = (store: CredentialStore) =>
  createPolicyPins({ store, chainId: 84532, hashPolicy: policyHasher(84532), development: false });

const followers = (op: string, value: bigint | number): Condition => ({
  name: "followers",
  op,
  value: String(value),
});

async function setPolicy(consumer: Contract, conditions: readonly Condition[], provider = "microblog") {
  await (await consumer.getFunction("setPolicy")(provider, conditions)).wait();
}

async function setCutoff(consumer: Contract, block: number | bigint) {
  await (await consumer.getFunction("setCutoffBlock")(block)).wait();
}

/** A block of some number, mined so many seconds from now. */
const blockAt = (number: number, seconds = 0) => ({
  number: BigInt(number),
  timestamp: Math.floor(Date.now() / 1000) + seconds,
});

async function operated(env: Record<string, string> = {}) {
  const stack = await startOwnStack(env);
  const ask = async (wallet: Signer, consumer: string, url = stack.url) => {
    const { status, body } = await requestVerification(url, await signedRequest(wallet, consumer));
    return { code: body.code ?? status, detail: body.detail };
  };
  const environment: Record<string, string> = stack.environment;
  const openDatabase = () => new DatabaseSync(stack.service.config.databaseUrl.slice("file:".length));
  return { ...stack, environment, ask, openDatabase };
}

describe("A contract that changes its policy between requests", () => {
  it("reads no number by the condition that failed", async () => {
    const stack = await operated();
    const { consumer, wallet, address } = await stack.participate({ traits: { followers: "12345678" } });
    const message = await signedRequest(wallet, address);
    let [low, high] = [0n, 10n ** 9n];
    let requests = 0;
    while (high - low > 1n) {
      const step = (high - low + 32n) / 33n;
      const thresholds = Array.from({ length: 32 }, (_, i) => low + step * BigInt(i + 1));
      await setPolicy(
        consumer,
        thresholds.map((threshold) => followers("gte", threshold)),
      );
      const { body } = await requestVerification(stack.url, message);
      requests++;
      const [, failed] = /followers gte (\d+)/.exec(body.detail ?? "") ?? [];
      if (failed === undefined) break;
      high = BigInt(failed);
      low = high - step;
    }
    expect({ low, requests }).to.deep.equal({ low: 0n, requests: 1 });
  });

  it("reads no number by another policy's refusal either", async () => {
    const stack = await operated();
    const { consumer, wallet, address } = await stack.participate({ traits: { followers: "1500" } });
    const message = await signedRequest(wallet, address);
    const codes = [];
    for (const threshold of [1000, 2000, 1500]) {
      await setPolicy(consumer, [followers("gte", threshold)]);
      const { status, body } = await requestVerification(stack.url, message);
      codes.push(body.code ?? status);
    }
    expect(codes).to.deep.equal([200, "invalid_policy", "invalid_policy"]);
  });
});

describe("A contract that moves its cutoff between requests", () => {
  it("does not read the time of authentication", async () => {
    const stack = await operated();
    const first = await stack.provider.getBlock("latest");
    if (first === null) throw new Error("no block");
    for (let i = 0; i < 64; i++) await stack.provider.send("evm_mine", []);
    const authenticatedAt = first.timestamp + 40;
    const { consumer, wallet, address } = await stack.participate({ authenticatedAt });
    const message = await signedRequest(wallet, address);
    let [low, high] = [first.number, first.number + 64];
    let answers = 0;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      await setCutoff(consumer, middle);
      const { status, body } = await requestVerification(stack.url, message);
      if (status !== 200 && body.code !== "needs_reauth") break;
      answers++;
      if (status === 200) low = middle;
      else high = middle;
    }
    const found = (await stack.provider.getBlock(low))?.timestamp ?? 0;
    expect(found, `found in ${answers} answers`).not.to.be.closeTo(authenticatedAt, 1);
  });

  it("gets answers for a rising cutoff four times a day, and never for a lower one", async () => {
    const stack = await operated();
    const { consumer, wallet, address } = await stack.participate();
    const seen = [];
    for (const block of [0, 1, 2, 1, 2, 3, 4, 5, 4]) {
      await setCutoff(consumer, block);
      seen.push((await stack.ask(wallet, address)).code);
    }
    const refused = "invalid_policy";
    expect(seen).to.deep.equal([200, 200, 200, refused, 200, 200, 200, refused, 200]);
    await setCutoff(consumer, 5);
    expect((await stack.ask(wallet, address)).detail).to.include("rose more than 4 times in 24 hours");

    const database = stack.openDatabase();
    database.exec("update pins set rises_since = rises_since - 86400");
    database.close();
    expect((await stack.ask(wallet, address)).code).to.equal(200);
    await setCutoff(consumer, 4);
    expect((await stack.ask(wallet, address)).detail).to.include("cutoff block is 4, after it was 5");
    const nextDay = [];
    for (const block of [6, 7, 8, 9]) {
      await setCutoff(consumer, block);
      nextDay.push((await stack.ask(wallet, address)).code);
    }
    expect(nextDay).to.deep.equal([200, 200, 200, refused]);
  });

  it("is held to the cutoff also when the wallet has no credential", async () => {
    const stack = await operated();
    const { consumer, address } = await stack.participate();
    await setCutoff(consumer, 2);
    expect((await stack.ask(Wallet.createRandom(), address)).code).to.equal("verification_not_found");
    await setCutoff(consumer, 1);
    expect((await stack.ask(Wallet.createRandom(), address)).code).to.equal("invalid_policy");
  });
});

describe("A node that lags behind", () => {
  /** A stack with a second replica on a node of its own, which can be put back to a block. */
  async function fixture() {
    const stack = await operated();
    let stands: string | undefined;
    const proxy = await serveProxy(stack.rpcUrl, {
      instead({ method, params }) {
        if (stands !== undefined && /^eth_(call|getBlockByNumber)$/.test(method)) {
          const all = params as unknown[];
          all.splice(0, all.length, ...all.map((param) => (param === "latest" ? stands : param)));
        }
        return undefined;
      },
    });
    const { url } = await stack.startReplica({ IDENTITY_RPC_URL: proxy.url });
    const putBack = async (blocks: number) => {
      const latest = await stack.provider.getBlockNumber();
      stands = blocks === 0 ? undefined : `0x${(latest - blocks).toString(16)}`;
    };
    const { consumer, wallet, address } = await stack.participate();
    const rise = async (block: number) => {
      await setCutoff(consumer, block);
      return (await stack.ask(wallet, address)).code;
    };
    const askLate = async () => (await stack.ask(wallet, address, url)).code;
    return { ...stack, proxy, consumer, putBack, rise, askLate };
  }

  it("gives chain_unavailable until a risen cutoff is there", async () => {
    const { proxy, putBack, rise, askLate } = await fixture();
    expect([await rise(1), await rise(2)]).to.deep.equal([200, 200]);
    await putBack(1);
    expect(await askLate()).to.equal("chain_unavailable");
    await putBack(0);
    expect([await askLate(), await rise(3), await askLate()]).to.deep.equal([200, 200, 200]);
    await putBack(1);
    expect(await askLate()).to.equal("chain_unavailable");
    // As behind a balancer: another node, which does not lag, says which block is the latest.
    const { instead } = proxy.behaviour;
    proxy.behaviour = { instead: (call) => (call.method === "eth_call" ? instead?.(call) : undefined) };
    expect(await askLate()).to.equal("chain_unavailable");
  });

  it("is asked again first, as another node may answer", async () => {
    const { proxy, putBack, rise, askLate } = await fixture();
    expect([await rise(1), await rise(2)]).to.deep.equal([200, 200]);
    await putBack(1);
    const { instead } = proxy.behaviour;
    let calls = 0;
    proxy.behaviour = {
      instead: (call) => (call.method === "eth_call" && ++calls > 1 ? undefined : instead?.(call)),
    };
    expect(await askLate()).to.equal(200);
    expect(calls).to.equal(2);
  });

  it("does not hide that a contract has lowered its cutoff, which a later block shows", async () => {
    const { consumer, rise, askLate } = await fixture();
    expect([await rise(1), await rise(2), await askLate()]).to.deep.equal([200, 200, 200]);
    await setCutoff(consumer, 1);
    expect(await askLate()).to.equal("invalid_policy");
  });

  it("counts as late for a minute after this process has learned of the cutoff, where another one saw it", async () => {
    const { store } = await operated();
    const consumer = `0x${"34".repeat(20)}`;
    const start = () => pinsOf(store);
    const policy = { provider: "microblog", conditions: [followers("gt", 1)] };
    const onchain = (cutoffBlock: bigint) => ({ encoded: encodePolicy(policy), policy, cutoffBlock });
    expect(await start()(consumer, onchain(5n), blockAt(100))).to.equal("current");
    const late = start();
    const learned = Math.floor(Date.now() / 1000);
    expect(await late(consumer, onchain(4n), { number: 200n, timestamp: learned + 60 })).to.equal("outdated");
    const after = late(consumer, onchain(4n), blockAt(200, 61));
    expect(await rejection(after)).to.include({ code: "invalid_policy" });
  });
});

describe("The pin of a contract's policy", () => {
  const consumer = `0x${"12".repeat(20)}`;

  /** The store of an operated stack, as a second replica opens it. */
  async function withReplica() {
    const { store, service, environment } = await operated();
    const another = await openCredentialStore({
      databaseUrl: service.config.databaseUrl,
      masterSecret: environment.IDENTITY_MASTER_SECRET ?? "",
    });
    onCleanup(() => another.close());
    return { store, another };
  }

  it("exists from the first answer that reveals a credential, and no earlier", async () => {
    const stack = await operated();
    const { consumer, wallet, address } = await stack.participate();
    await setPolicy(consumer, []);
    expect((await stack.ask(wallet, address)).code).to.equal("invalid_policy");
    await setPolicy(consumer, [followers("gt", 5)]);
    const forged = { ...(await signedRequest(wallet, address)), signature: `0x${"12".repeat(65)}` };
    expect((await requestVerification(stack.url, forged)).body.code).to.equal("invalid_argument");
    expect(await stack.store.listPins()).to.deep.equal([]);

    await setPolicy(consumer, [followers("gt", 6)]);
    expect((await stack.ask(Wallet.createRandom(), address)).code).to.equal("verification_not_found");
    expect(await stack.store.listPins()).to.have.length(1);
    await setPolicy(consumer, [{ name: "username", op: "eq", value: "alice" }], "photo_social");
    const { code, detail } = await stack.ask(Wallet.createRandom(), address);
    expect(code).to.equal("invalid_policy");
    expect(detail).to.include("not the one that it was first answered for").and.include("operator can reset");
  });

  it("holds in every replica, also in one that starts later, and only at its own contract", async () => {
    const stack = await operated();
    const { consumer, wallet, address } = await stack.participate();
    const { url } = await stack.startReplica();
    const before = await Promise.all(
      [stack.url, url, stack.url, url].map((each) => stack.ask(wallet, address, each)),
    );
    expect(before.map(({ code }) => code)).to.deep.equal([200, 200, 200, 200]);
    await setPolicy(consumer, [followers("gt", 1)]);
    for (const each of [stack.url, url]) {
      expect((await stack.ask(wallet, address, each)).code).to.equal("invalid_policy");
    }
    const other = await stack.deployConsumer({ conditions: [followers("gt", 1)] });
    expect((await stack.ask(wallet, await other.getAddress(), url)).code).to.equal(200);
  });

  it("counts the cutoff's rises at several replicas together", async () => {
    const replicas = Object.values(await withReplica()).map(pinsOf);
    const policy = { provider: "microblog", conditions: [followers("gt", 1)] };
    const encoded = encodePolicy(policy);
    const answers = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) =>
        replicas[i % 2]?.(consumer, { encoded, policy, cutoffBlock: BigInt(i) }, blockAt(i)),
      ),
    );
    const letThrough = answers.filter(
      (answer) => answer.status === "fulfilled" && answer.value === "current",
    );
    expect(letThrough).to.have.length.within(1, 5);
  });

  it("lets no replica go on by what another one has seen reset and pinned anew", async () => {
    const [one, two] = Object.values(await withReplica()).map((store) => ({
      store,
      demand: pinsOf(store),
    }));
    if (!one || !two) throw new Error("no replicas");
    const onchain = (value: number) => {
      const policy = { provider: "microblog", conditions: [followers("gt", value)] };
      return { encoded: encodePolicy(policy), policy, cutoffBlock: 0n };
    };
    await one.demand(consumer, onchain(1), blockAt(1));
    await two.store.resetPins(consumer);
    await two.demand(consumer, onchain(2), blockAt(2));
    passTime(1_000);
    expect(await rejection(one.demand(consumer, onchain(1), blockAt(3)))).to.include({
      code: "invalid_policy",
    });
    await two.store.resetPins(consumer);
    await one.demand(consumer, onchain(3), blockAt(4));
  });

  it("is written once, and an admitted request writes only to the audit trail", async () => {
    const stack = await operated();
    const { wallet, address } = await stack.participate();
    await stack.ask(wallet, address);
    const database = stack.openDatabase();
    const written = () =>
      ["credentials", "pins", "properties", "spent_nonces"].map((table) =>
        database.prepare(`select * from ${table}`).all(),
      );
    const before = written();
    for (let i = 0; i < 3; i++) expect((await stack.ask(wallet, address)).code).to.equal(200);
    expect(written()).to.deep.equal(before);
    database.close();
  });

  it("is not made on a local node with development secrets, whose refusals name the condition", async () => {
    const stack = await startStack();
    const { consumer, request } = await stack.participate({ traits: { followers: "1500" } });
    expect((await request()).status).to.equal(200);
    await setPolicy(consumer, [followers("gt", 2000)]);
    expect((await request()).body.detail).to.include("followers gt 2000");
    expect(await stack.store.listPins()).to.deep.equal([]);
  });
});

describe("A refusal about a credential", () => {
  it("says no more than its code, to anybody but developers", async () => {
    const stack = await operated();
    const conditions = [followers("gt", 10), followers("lt", 1000)];
    const details = [];
    for (const value of ["5", "5000"]) {
      const { request } = await stack.participate({ conditions, traits: { followers: value } });
      details.push((await request()).body.detail);
    }
    expect(details[0]).to.equal("The microblog account does not meet the contract's conditions.");
    expect(details[1]).to.equal(details[0]);
  });
});
