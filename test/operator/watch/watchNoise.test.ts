import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { type Contract, dataSlice, getAddress, id, toBeHex, toQuantity, Wallet } from "ethers";
import { development } from "../../../packages/protocol/development.ts";
import type { Hex } from "../../../packages/protocol/hex.ts";
import type { SignedVerification } from "../../../packages/protocol/verification.ts";
import type { AuditEvent } from "../../../packages/store/audit/auditEntry.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import type { Answer, Behaviour, Call } from "../../fixtures/chain/proxy.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { findFreePort } from "../../fixtures/freePort.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { deployDecoy, hideSignature } from "../../fixtures/signer/decoys.ts";
import { prepareTestWatch, runTestWatch } from "../../fixtures/signer/runningWatch.ts";
import { watchedRegistry } from "../../fixtures/signer/watchedRegistry.ts";

/** Milliseconds in which a forged claim must be found, whatever else happens. */
const inTime = 10_000;

/** Milliseconds that a busy machine may take for what has no such limit. */
const patience = 45_000;

const isOfAllContracts = ({ method, params }: Call) =>
  method === "eth_getLogs" && Object(params?.[0]).address === undefined;

type Registry = Awaited<ReturnType<typeof watchedRegistry>>;

describe("identity-signer watch, amid what others do,", function () {
  this.timeout(120_000);
  let watched: Registry;
  let start: string;
  let guardian: Wallet;
  let environment: Record<string, string>;

  before(async () => {
    watched = await watchedRegistry();
    const { provider, deployer, registryContract } = watched;
    guardian = Wallet.createRandom().connect(provider) as unknown as Wallet;
    await (await deployer.sendTransaction({ to: guardian.address, value: 10n ** 18n })).wait();
    await (await registryContract.getFunction("transferOwnership")(guardian.address)).wait();
    await (await (registryContract.connect(guardian) as Contract).getFunction("acceptOwnership")()).wait();
    environment = { ...watched.environment, IDENTITY_GUARDIAN_KEY: guardian.privateKey };
    start = await provider.send("evm_snapshot", []);
  });
  beforeEach(async () => {
    watched.proxy.behaviour = {};
    await watched.provider.send("evm_revert", [start]);
    await watched.provider.send("evm_mine", []);
    start = await watched.provider.send("evm_snapshot", []);
  });

  const isSigner = () => watched.registryContract.getFunction("isSigner")(development.signer);
  /** A forged claim at a consumer that nobody named. */
  const forgeClaim = async (identity = "nobody") =>
    await watched.claim(watched.consumer, await watched.forge(watched.consumer, identity));
  /** Sends a claim with limits of its own, because an estimate needs a block. */
  async function submit({ identityHash, expiration, signature }: SignedVerification) {
    const enroll = (watched.consumer.connect(watched.account) as Contract).getFunction("enroll");
    return await enroll(identityHash, expiration, signature, { gasLimit: 300_000 });
  }
  async function inOneBlock(...sends: (() => Promise<{ hash: string }>)[]) {
    await watched.provider.send("evm_setAutomine", [false]);
    const sent = [];
    for (const send of sends) sent.push(await send());
    await watched.provider.send("evm_mine", []);
    await watched.provider.send("evm_setAutomine", [true]);
    return sent;
  }
  /** Waits for the brake, and returns how many milliseconds after the claim the signer was gone. */
  async function untilBraked(watching: Awaited<ReturnType<typeof runTestWatch>>) {
    const since = Date.now();
    await watching.waitFor("removed", patience);
    expect(await isSigner()).to.equal(false);
    return Date.now() - since;
  }

  it("goes on after a transaction with ten thousand events of anybody's, and brakes the forged claim in its block", async () => {
    const { deployer, provider } = watched;
    const spam = await deployDecoy(deployer);
    const watching = await runTestWatch(environment, { brake: true });
    const verification = await watched.forge(watched.consumer, "nobody");
    const pending = await inOneBlock(
      () => spam.emit(9_900),
      () => submit(verification),
    );
    expect((await provider.getTransactionReceipt(pending[0]?.hash ?? ""))?.status).to.equal(1);
    expect(await untilBraked(watching)).to.be.below(inTime);
    expect(watching.of("forged").map(({ finding }) => finding.signer)).to.deep.equal([development.signer]);
    expect(watching.of("cannot-judge")).to.deep.equal([]);
  });

  it("asks for the events of known consumers where a block has too many for one answer, and goes on", async () => {
    const { deployer, proxy } = watched;
    const spam = await deployDecoy(deployer);
    await watched.claimHonestly(watched.consumer);
    proxy.behaviour = {
      async answer(method: string, answer: Answer) {
        const isMany = method === "eth_getLogs" && Array.isArray(answer.result) && answer.result.length > 50;
        if (!isMany && method !== "eth_getBlockReceipts") return;
        answer.result = undefined;
        answer.error = { code: -32005, message: "query returned more than 50 results" };
      },
    };
    const watching = await runTestWatch(environment, { brake: true });
    await (await spam.emit(60)).wait();
    await forgeClaim();
    expect(await untilBraked(watching)).to.be.below(inTime);
    expect(watching.of("cannot-judge")).to.deep.equal([]);
  });

  it("brakes a forged claim while decoys look like thousands of signatures, and answers for its metrics", async () => {
    const { deployer, consumer, provider } = watched;
    const port = String(await findFreePort());
    const decoy = await deployDecoy(deployer, String(consumer.target));
    const watching = await runTestWatch({ ...environment, IDENTITY_METRICS_PORT: port }, { brake: true });
    const later = (await provider.getBlock("latest"))?.timestamp ?? 0;
    const junk = `${(later + 9_000).toString(16).padStart(64, "0")}${"1b".repeat(1_100)}`;
    await (await decoy.emit(60, junk)).wait();
    await delay(1_500);
    await forgeClaim();
    const asked = Date.now();
    await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(Date.now() - asked).to.be.below(2_000);
    expect(await untilBraked(watching)).to.be.below(inTime);
    expect(watching.of("judged-in-part").flatMap(({ addresses }) => addresses)).to.include(decoy.address);
  });

  it("tells a forged claim that ten thousand decoys follow, and removes its signer", async () => {
    const { deployer, consumer, provider } = watched;
    const decoy = await deployDecoy(deployer, String(consumer.target));
    const from = (await provider.getBlockNumber()) + 1;
    const { transactionHash } = await forgeClaim();
    for (let i = 0; i < 3; i++) await (await decoy.emit(3_400)).wait();
    const watch = await prepareTestWatch(environment, { brake: true, fromBlock: from });
    const { forged } = await watch.once();
    expect(forged.map((each) => each.transactionHash)).to.deep.equal([transactionHash]);
    expect(await isSigner()).to.equal(false);
  });

  /** A contract of an attacker, for which the service has signed: so it is known. */
  async function deployKnownDecoy() {
    // Of another account, so that no other test's decoy gets its address.
    const attacker = await watched.provider.getSigner(5);
    const decoy = await deployDecoy(attacker, String(watched.consumer.target));
    const wallet = await watched.addWallet();
    await watched.requestFor(wallet, decoy.address);
    return decoy;
  }

  it("brakes and posts a forged claim in time though a contract for which the service signed emits thousands of events", async () => {
    const posted: Record<string, string>[] = [];
    const { url } = await serveHttp(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      posted.push(JSON.parse(text));
      await delay(20);
      response.writeHead(204).end();
    });
    const decoy = await deployKnownDecoy();
    await watched.claimHonestly(watched.consumer);
    const watching = await runTestWatch({ ...environment, IDENTITY_WATCH_WEBHOOK: url }, { brake: true });
    const later = (await watched.provider.getBlock("latest"))?.timestamp ?? 0;
    const junk = `${(later + 9_000).toString(16).padStart(64, "0")}${"1b".repeat(1_100)}`;
    for (let i = 0; i < 20; i++) await (await decoy.emit(1, junk)).wait();
    await (await decoy.emit(3_400)).wait();
    await delay(1_500);
    await forgeClaim();
    expect(await untilBraked(watching)).to.be.below(inTime);
    await delay(3_000);
    expect(posted.map(({ signer }) => signer)).to.include(development.signer);
  });

  for (const [what, isHard] of [
    ["the state of a contract that nobody knows", ({ method }: Call) => method === "eth_call"],
    ["the events of all contracts", isOfAllContracts],
  ] as const) {
    it(`goes on, and names a forged claim, though the node breaks off where it is asked for ${what}`, async () => {
      const { deployer, consumer, proxy, provider } = watched;
      const decoy = await deployDecoy(deployer, String(consumer.target));
      await watched.claimHonestly(consumer);
      let last = 0;
      const watching = await runTestWatch(environment, { onProgress: (judged) => (last = judged) });
      const address = decoy.address.slice(2).toLowerCase();
      proxy.behaviour = {
        refuse(calls) {
          const isAsked = calls.some((call) => isHard(call) && JSON.stringify(call).includes(address));
          const isAll = isHard === isOfAllContracts && calls.some(isOfAllContracts);
          return isAsked || isAll ? { status: 504 } : undefined;
        },
      };
      await (await decoy.emit(3)).wait();
      await delay(1_500);
      await forgeClaim();
      await watching.waitFor("forged", inTime);
      expect(watching.of("forged")[0]?.finding.signer).to.equal(development.signer);
      const head = await provider.getBlockNumber();
      const until = Date.now() + patience;
      while (last < head && Date.now() < until) await delay(100);
      expect(last).to.equal(head);
    });
  }

  it("names a forged claim behind a node that leaves out events after the thousandth without a word", async () => {
    const decoy = await deployKnownDecoy();
    await watched.claimHonestly(watched.consumer);
    watched.proxy.behaviour = {
      answer: (method, answer) => {
        if (method === "eth_getLogs") answer.result = [answer.result].flat().slice(0, 1_000);
      },
    };
    const watching = await runTestWatch(environment);
    const verification = await watched.forge(watched.consumer, "nobody");
    await inOneBlock(
      () => decoy.emit(1_200),
      () => submit(verification),
    );
    await delay(1_000);
    await watching.waitFor("forged", patience);
    await delay(3_000);
    expect(watching.of("forged").map(({ finding }) => finding.signer)).to.include(development.signer);
  });

  it("names a forged claim in the block that adds a signer, at a consumer for which the service has signed since", async () => {
    const watching = await runTestWatch(environment);
    await watching.waitFor("watching");
    await watched.requestFor(await watched.addWallet(), String(watched.consumer.target));
    const verification = await watched.forge(watched.consumer, "nobody");
    const own = watched.registryContract.connect(guardian) as Contract;
    const stranger = Wallet.createRandom().address;
    await inOneBlock(
      () => own.getFunction("addSigner")(stranger, { gasLimit: 200_000 }),
      () => submit(verification),
    );
    await watching.waitFor("stranger", patience);
    await watching.waitFor("forged", inTime);
    expect(watching.of("forged").map(({ finding }) => finding.signer)).to.deep.equal([development.signer]);
  });

  it("names the signer of a claim whose call data hides the signature among what looks like it", async () => {
    const { consumer, account } = watched;
    const verification = await watched.forge(consumer, "nobody");
    const { identityHash, expiration, signature } = verification;
    const plain = consumer.interface.encodeFunctionData("enroll", [identityHash, expiration, signature]);
    const data = hideSignature(plain, verification);
    await (await account.sendTransaction({ to: consumer.target, data })).wait();
    const watch = await prepareTestWatch(environment, { fromBlock: 1 });
    const { forged } = await watch.once();
    expect(forged.map(({ signer }) => signer)).to.deep.equal([development.signer]);
  });

  it("pages nobody for a claim without a signature at a contract that nobody knows", async () => {
    const { deployer, consumer } = watched;
    const port = String(await findFreePort());
    const decoy = await deployDecoy(deployer, String(consumer.target));
    const watching = await runTestWatch({ ...environment, IDENTITY_METRICS_PORT: port }, { brake: true });
    await (await decoy.emit(1)).wait();
    await watching.waitFor("unproven", patience);
    await delay(300);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).to.match(/^identity_watch_forged_claims 0$/m);
    expect(metrics).to.match(/^identity_watch_unproven_claims 1$/m);
    expect(await isSigner()).to.equal(true);
    expect(watching.of("forged")).to.deep.equal([]);
  });

  const lies: Record<string, () => Behaviour> = {
    "has no transaction of a claim": () => {
      let left = 2;
      return {
        instead: ({ method }) =>
          /^eth_getTransactionBy/.test(method) && left-- > 0 ? { result: null } : undefined,
      };
    },
    "answers for a consumer as before it was deployed": () => {
      let left = 1;
      return {
        rewrite: (call) => {
          const isState = call.method === "eth_call" && call.params?.[1] !== "latest" && left-- > 0;
          return isState ? { ...call, params: [call.params?.[0], "0x1", call.params?.[2]] } : call;
        },
      };
    },
    "has not the block of an event by its hash": () => {
      let left = 2;
      return {
        instead: ({ method }) =>
          method === "eth_getBlockByHash" && left-- > 0 ? { result: null } : undefined,
      };
    },
    "takes no hash of a block for its state": () => ({
      instead: ({ method, params }) =>
        method === "eth_call" && typeof params?.[1] === "object"
          ? { error: { code: -32602, message: "invalid argument 1: hex string expected" } }
          : undefined,
    }),
    "leaves an event out, and has no receipts of its block yet": () => {
      let left = 2;
      return {
        instead: ({ method }) => {
          if (method === "eth_getLogs" && left > 0) return { result: [] };
          return method === "eth_getBlockReceipts" && left-- > 0 ? { result: [] } : undefined;
        },
        answer: (method, { result }) => {
          if (method === "eth_getTransactionReceipt") Object(result).blockHash = null;
        },
      };
    },
    "leaves an event out, and answers receipts of another block": () => {
      let left = 2;
      return {
        instead: ({ method }) => (method === "eth_getLogs" && left > 0 ? { result: [] } : undefined),
        answer: (method, { result }) => {
          if (method !== "eth_getBlockReceipts" || left-- <= 0) return;
          for (const each of [result].flat())
            Object.assign(Object(each), { blockHash: `0x${"ab".repeat(32)}`, logs: [] });
        },
      };
    },
    "answers events of the newest blocks with another block's hash": () => {
      let left = 2;
      return {
        answer: (method, { result }) => {
          if (method !== "eth_getLogs" || [result].flat().length === 0 || left-- <= 0) return;
          for (const log of [result].flat())
            Object.assign(Object(log), { blockHash: `0x${"ab".repeat(32)}` });
        },
      };
    },
    "answers events of no contract, too": () => ({
      answer: (method, answer) => {
        if (method !== "eth_getLogs") return;
        const logs = [answer.result].flat();
        answer.result = logs.concat(
          logs.flatMap((log) => [null, "0x12"].map((address) => ({ ...Object(log), address }))),
        );
      },
    }),
    "counts events by transaction": () => ({
      answer: (method, { result }) => {
        if (method === "eth_getLogs")
          for (const log of [result].flat()) Object.assign(Object(log), { logIndex: "0x0" });
      },
    }),
    "refuses any request that asks for the events of all contracts": () => ({
      refuse: (calls) => {
        return calls.some(isOfAllContracts) ? { status: 413 } : undefined;
      },
    }),
    "says in each answer that it was asked too often, once": () => {
      let left = 3;
      return {
        instead: () =>
          left-- > 0 ? { error: { code: -32097, message: "project exceeded its limit" } } : undefined,
      };
    },
    "answers each event twice": () => ({
      answer: (method, answer) => {
        if (method === "eth_getLogs") answer.result = [answer.result, answer.result].flat();
      },
    }),
    "answers no safe block, and hashes in capital letters": () => ({
      answer: (method, answer) => {
        const capital = (value: unknown) => `0x${String(value).slice(2).toUpperCase()}`;
        if (method === "eth_getLogs")
          for (const log of [answer.result].flat()) {
            const { blockHash, transactionHash } = Object(log);
            Object.assign(Object(log), {
              blockHash: capital(blockHash),
              transactionHash: capital(transactionHash),
            });
          }
        const { hash, parentHash } = Object(answer.result);
        if (hash && parentHash)
          Object.assign(Object(answer.result), { hash: capital(hash), parentHash: capital(parentHash) });
      },
      instead: ({ params }) => (params?.[0] === "safe" ? { result: null } : undefined),
    }),
    "counts no transactions": () => ({
      answer: (method, { result }) => {
        if (method === "eth_getLogs") for (const log of [result].flat()) Object(log).transactionIndex = null;
      },
    }),
  };
  for (const [lie, behave] of Object.entries(lies)) {
    it(`names the signer of a forged claim behind a node that ${lie}`, async () => {
      const { consumer, deployer } = watched;
      const spam = await deployDecoy(deployer);
      const watching = await runTestWatch(environment);
      watched.proxy.behaviour = behave();
      const verification = await watched.forge(consumer, "nobody");
      await inOneBlock(
        () => spam.emit(1),
        () => submit(verification),
      );
      await watching.waitFor("forged", patience);
      expect(watching.of("forged")[0]?.finding.signer).to.equal(development.signer);
      expect(watching.of("forged")).to.have.length(1);
      expect(watching.of("unproven")).to.deep.equal([]);
    });
  }

  it("says that it cannot brake while the node has no gas price, and brakes once it has", async () => {
    const watching = await runTestWatch(environment, { brake: true });
    const prices = [null, "", "1.5"];
    watched.proxy.behaviour = {
      instead: ({ method }) =>
        method === "eth_gasPrice" && prices.length > 0 ? { result: prices.shift() } : undefined,
    };
    await forgeClaim();
    await watching.waitFor("cannot-brake", patience);
    expect(Object(watching.of("cannot-brake")[0]).problem).to.include(
      "did not answer eth_gasPrice with a number",
    );
    await untilBraked(watching);
  });

  it("judges once in spite of an event whose contract has no code, which nothing can prove", async () => {
    const { deployer } = watched;
    const topic = id("IdentityUsed(bytes32,bytes32)").slice(2);
    // Emitted while a contract without code is created.
    await (await deployer.sendTransaction({ data: `0x600760007f${topic}60006000a300` })).wait();
    const { transactionHash } = await forgeClaim();
    const watch = await prepareTestWatch(environment, { fromBlock: 1 });
    const { forged, isSaved } = await watch.once();
    expect([forged.map((each) => each.transactionHash), isSaved]).to.deep.equal([[transactionHash], true]);
  });

  it("takes no signer for unknown that a service has begun to use a moment ago", async () => {
    const watching = await runTestWatch(environment);
    const [own, stranger] = [Wallet.createRandom().address, Wallet.createRandom().address];
    await watched.store.enter({ event: "signer-used", chainId: 84532, signer: own });
    const registry = watched.registryContract.connect(guardian) as Contract;
    for (const signer of [own, stranger]) await (await registry.getFunction("addSigner")(signer)).wait();
    await watching.waitFor("stranger", patience);
    expect(watching.of("stranger").map(({ finding }) => finding.signer)).to.deep.equal([stranger]);
  });

  it("judges the claims of the last of more consumers than it asks for at once", async () => {
    const named = Array.from({ length: 500 }, (_, i) => getAddress(toBeHex(i + 1, 20)));
    const { transactionHash } = await forgeClaim();
    const consumers = new Set(named.concat(String(watched.consumer.target)));
    const watch = await prepareTestWatch(environment, { fromBlock: 1, consumers });
    const { forged } = await watch.once();
    expect(forged.map((each) => each.transactionHash)).to.deep.equal([transactionHash]);
  });

  it("judges the claims of the first named consumers before it asks for those of five hundred others", async () => {
    const other = await watchedRegistry();
    const named = String(other.consumer.target);
    const others = Array.from({ length: 500 }, (_, index) => getAddress(toBeHex(index + 1, 20)));
    other.proxy.behaviour = {
      // Whenever it is asked for some of the others alone.
      instead({ method, params }) {
        const { address = [named] } = Object(Object(params)[0]);
        if (method !== "eth_getLogs" || address.some((each: string) => each === named)) return undefined;
        return { error: { code: -32000, message: "The node is busy." } };
      },
    };
    const watching = await runTestWatch(other.environment, { consumers: new Set([named, ...others]) });
    await other.claim(other.consumer, await other.forge(other.consumer, "nobody"));
    await watching.waitFor("forged", patience);
  });

  it("tells a forged claim within ten seconds where the node never answers what is asked of all contracts", async () => {
    watched.proxy.behaviour = { respond: () => undefined, only: isOfAllContracts };
    const watching = await runTestWatch(environment, {
      consumers: new Set([String(watched.consumer.target)]),
    });
    for (let claims = 1; claims <= 2; claims++) {
      const since = performance.now();
      await forgeClaim(`nobody ${claims}`);
      while (watching.of("forged").length < claims && performance.now() - since < inTime) await delay(50);
      expect(watching.of("forged"), JSON.stringify(watching.events)).to.have.length(claims);
    }
    await watching.stop();
  });

  it("tells and counts a forged claim though its position cannot be kept, and says so once", async () => {
    const port = String(await findFreePort());
    const watching = await runTestWatch({ ...environment, IDENTITY_METRICS_PORT: port });
    await rm(dirname(watching.positionFile), { recursive: true });
    await forgeClaim();
    await watching.waitFor("forged", patience);
    await watching.waitFor("cannot-save", patience);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).to.match(/^identity_watch_forged_claims 1$/m);
    await delay(2_500);
    expect([watching.of("forged").length, watching.of("cannot-save").length]).to.deep.equal([1, 1]);
  });

  it("makes at most twelve calls a look where six blocks are new", async () => {
    const { provider, proxy } = watched;
    let judged = 0;
    const onProgress = (block: number) => {
      judged = block;
    };
    const watching = await runTestWatch(environment, { onProgress });
    const looks = () =>
      proxy.batches.filter((batch) => batch[1] === "eth_getBlockByNumber" && batch.length <= 3);
    await delay(3_000);
    const from = proxy.batches.length;
    for (let i = 0; i < 8; i++) {
      await provider.send("hardhat_mine", ["0x6"]);
      const head = await provider.getBlockNumber();
      // On a slow machine, a look could find the blocks of two rounds.
      while (judged < head) await delay(50);
    }
    await watching.stop();
    expect(looks().length).to.be.above(4);
    const counts: number[] = [];
    for (const batch of proxy.batches.slice(from)) {
      const isHead = batch.length <= 3 && batch.slice(1).every((method) => method === "eth_getBlockByNumber");
      if (isHead) counts.push(0);
      counts.push((counts.pop() ?? 0) + batch.length);
    }
    expect(Math.max(...counts)).to.be.at.most(12);
    expect(watching.of("cannot-judge")).to.deep.equal([]);
  });

  /** Has the service sign for contracts, which are known then. */
  async function makeKnown(contracts: readonly string[]) {
    const { databaseUrl } = watched.service.config;
    const { masterSecret, signer } = development;
    const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
    const entryFor = (consumer: string): AuditEvent => ({
      event: "verification-signed",
      chainId: 84532,
      consumer,
      identityHash: id("somebody") as Hex,
      policyHash: id("policy") as Hex,
      expiration: 1,
      signer,
      requestId: "a",
    });
    await store.enter(...contracts.map(entryFor));
    await store.close();
  }

  it("asks for the events of five hundred known contracts at most, and still names a forged claim at another", async () => {
    const other = await watchedRegistry();
    await other.claimHonestly(other.consumer);
    const [former, { proxy, provider }] = [watched, other];
    watched = other;
    onCleanup(() => (watched = former));
    const nameOf = (_: unknown, index: number) => getAddress(dataSlice(id(`contract ${index}`), 0, 20));
    await makeKnown(Array.from({ length: 1_200 }, nameOf));
    const addresses: number[] = [];
    proxy.behaviour = {
      rewrite(call) {
        const { address } = Object(call.params?.[0]);
        if (call.method === "eth_getLogs" && address !== undefined) addresses.push(address.length);
        return call;
      },
    };
    const watching = await runTestWatch(other.environment);
    await provider.send("evm_mine", []);
    await delay(2_500);
    expect(watching.of("judged-in-part")).to.deep.equal([]);
    await forgeClaim();
    expect((await watching.waitFor("forged", inTime)).length).to.equal(1);
    expect(watching.of("forged")[0]?.finding.signer).to.equal(development.signer);
    await watching.waitFor("judged-in-part", patience);
    const [part] = watching.of("judged-in-part");
    expect(part?.addresses).to.deep.equal([other.consumer.target]);
    await watching.stop();
    expect(Math.max(...addresses)).to.be.within(400, 500);
    const queries = proxy.batches.map((batch) => batch.filter((method) => method === "eth_getLogs").length);
    expect(Math.max(...queries)).to.equal(2);
  });

  it("brakes a forged claim in time though forty contracts for which the service signed look like thousands of signatures", async () => {
    const { consumer, provider } = watched;
    const attacker = await provider.getSigner(6);
    const decoys = [];
    for (let i = 0; i < 40; i++) decoys.push(await deployDecoy(attacker, String(consumer.target)));
    await watched.claimHonestly(consumer);
    await makeKnown(decoys.map(({ address }) => getAddress(address)));
    const watching = await runTestWatch(environment, { brake: true });
    const later = (await provider.getBlock("latest"))?.timestamp ?? 0;
    const times = Array.from({ length: 10 }, (_, i) => (later + 9_000 + i).toString(16).padStart(64, "0"));
    const junk = `${times.join("")}${"1b".repeat(1_100)}`;
    const verification = await watched.forge(consumer, "nobody");
    await inOneBlock(...decoys.map((decoy) => () => decoy.emit(1, junk)), () => submit(verification));
    expect(await untilBraked(watching)).to.be.below(inTime);
  });

  it("learns what a limited plan allows: ten blocks a range, ten calls a batch, thirty a second", async () => {
    const { provider, proxy } = watched;
    const head = await provider.getBlockNumber();
    const { transactionHash } = await forgeClaim();
    await provider.send("hardhat_mine", [toQuantity(400)]);
    let sent: number[] = [];
    const counts = { calls: 0, refused: 0, all: [] as boolean[] };
    proxy.behaviour = {
      refuse(calls) {
        sent = sent.filter((at) => Date.now() - at < 1_000);
        const isOver = calls.length > 10 || sent.length + calls.length > 30;
        for (const _ of calls) counts.all.push(isOver);
        if (!isOver) for (const _ of calls) sent.push(Date.now());
        if (calls.length > 10) return { status: 413 };
        return isOver ? { status: 429, headers: { "retry-after": "1" } } : undefined;
      },
      instead({ method, params }) {
        const { fromBlock, toBlock } = Object(params?.[0]);
        if (method !== "eth_getLogs" || Number(toBlock) - Number(fromBlock) < 10) return undefined;
        counts.all[counts.all.length - 1] = true;
        return {
          error: {
            code: -32600,
            message:
              "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.",
          },
        };
      },
    };
    const progress: number[] = [];
    const watch = await prepareTestWatch(environment, {
      fromBlock: head + 1,
      onProgress: (judged) => progress.push(judged),
    });
    const { forged } = await watch.once();
    expect(forged.map((each) => each.transactionHash)).to.deep.equal([transactionHash]);
    expect(progress.length).to.be.above(30);
    const learned = counts.all.slice(Math.floor(counts.all.length / 2));
    const refused = learned.filter(Boolean).length;
    expect(refused / learned.length).to.be.at.most(0.01);
  });

  it("asks for fewer blocks at once where the node fails with many, leaves out nothing, and soon asks for many again", async () => {
    const { provider, proxy } = watched;
    const head = await provider.getBlockNumber();
    const { transactionHash } = await forgeClaim();
    await provider.send("hardhat_mine", [toQuantity(900)]);
    const lengthOf = ({ method, params }: Call) => {
      const { fromBlock, toBlock } = Object(params?.[0]);
      return method === "eth_getLogs" ? Number(toBlock) - Number(fromBlock) + 1 : 0;
    };
    const lengths: number[] = [];
    proxy.behaviour = {
      refuse(calls) {
        const length = Math.max(...calls.map(lengthOf));
        lengths.push(length);
        return length > 40 ? { status: 504 } : undefined;
      },
    };
    const watch = await prepareTestWatch(environment, { fromBlock: head + 1 });
    const { forged } = await watch.once();
    expect(forged.map((each) => each.transactionHash)).to.deep.equal([transactionHash]);
    expect(watch.of("judged-in-part")).to.deep.equal([]);
    const failed = lengths.filter((length) => length > 40).length;
    expect(failed / lengths.length).to.be.below(0.4);

    proxy.behaviour = {};
    lengths.length = 0;
    await provider.send("hardhat_mine", [toQuantity(900)]);
    proxy.behaviour = { refuse: (calls) => void lengths.push(Math.max(...calls.map(lengthOf))) };
    await watch.once();
    expect(Math.max(...lengths)).to.be.above(100);
  });

  it("posts what it tells to a webhook, again after a failure, and never says where", async () => {
    const bodies: Record<string, string>[] = [];
    let failures = 1;
    const { url } = await serveHttp(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      bodies.push(JSON.parse(text));
      response.writeHead(failures-- > 0 ? 503 : 204).end();
    });
    const hook = `${url}/secret-of-the-hook`;
    const watching = await runTestWatch({ ...environment, IDENTITY_WATCH_WEBHOOK: hook });
    await forgeClaim();
    await watching.waitFor("forged", patience);
    await delay(3_000);
    expect(bodies.map(({ event }) => event)).to.deep.equal(["watching", "watching", "forged"]);
    // As Slack and Discord show it.
    expect(bodies.at(-1)?.text).to.match(/^FORGED CLAIM at 0x\w{40} in block \d+, /);
    expect(bodies.at(-1)?.content).to.equal(bodies.at(-1)?.text);
    expect(JSON.stringify(watching.events)).not.to.include("secret-of-the-hook");
  });

  it("tells of no look that failed alone, however many there are", async () => {
    const { provider, proxy } = watched;
    let judged = 0;
    const watching = await runTestWatch(environment, { onProgress: (block) => (judged = block) });
    for (let failures = 0; failures < 3; failures++) {
      // A look goes on after its progress. The next one begins a second later.
      for (let sent = -1; sent < proxy.batches.length; await delay(500)) sent = proxy.batches.length;
      let refused = 0;
      proxy.behaviour = { refuse: () => (refused++ === 0 ? { status: 503 } : undefined) };
      const head = Number(await provider.getBlockNumber()) + 1;
      await provider.send("evm_mine", []);
      while (judged < head) await delay(50);
      expect(refused).to.be.above(1);
    }
    expect(watching.events.map(({ event }) => event)).to.deep.equal(["watching"]);
  });

  it("ends only after its last posts, when it is asked to end", async () => {
    let answered = 0;
    const { url } = await serveHttp(async (request, response) => {
      for await (const _ of request);
      await delay(500);
      response.writeHead(204).end(() => answered++);
    });
    const watching = await runTestWatch({ ...environment, IDENTITY_WATCH_WEBHOOK: url });
    await delay(1_000);
    const before = answered;
    await forgeClaim();
    await watching.waitFor("forged", patience);
    await watching.stop();
    expect(answered).to.equal(before + 1);
  });

  it("posts a forged claim after a restart if the webhook was away before, and no second time once it took it", async () => {
    const posted: string[] = [];
    let isAway = true;
    const { url } = await serveHttp(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      if (!isAway) posted.push(JSON.parse(text).event);
      response.writeHead(isAway ? 503 : 204).end();
    });
    const withHook = { ...environment, IDENTITY_WATCH_WEBHOOK: url };
    const before = await runTestWatch(withHook);
    const { positionFile } = before;
    await forgeClaim();
    await before.waitFor("forged", patience);
    await before.stop();
    isAway = false;
    const after = await prepareTestWatch(withHook, { positionFile });
    expect((await after.once()).forged).to.have.length(1);
    expect(posted).to.deep.equal(["watching", "forged"]);
    const later = await prepareTestWatch(withHook, { positionFile });
    expect((await later.once()).forged).to.have.length(0);
    expect(posted).to.deep.equal(["watching", "forged", "watching"]);
  });
});
