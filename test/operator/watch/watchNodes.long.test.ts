import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { toQuantity } from "ethers";
import { development } from "../../../packages/protocol/development.ts";
import type { Behaviour, Call } from "../../fixtures/chain/proxy.ts";
import { brakedRegistry, mustBeFoundMs, patienceMs } from "../../fixtures/signer/brakedRegistry.ts";
import { deployDecoy } from "../../fixtures/signer/decoys.ts";
import { prepareTestWatch, runTestWatch } from "../../fixtures/signer/runningWatch.ts";

const isOfAllContracts = ({ method, params }: Call) =>
  method === "eth_getLogs" && Object(params?.[0]).address === undefined;

describe("identity-signer watch, behind a node as nodes are,", function () {
  this.timeout(120_000);
  let watched: Awaited<ReturnType<typeof brakedRegistry>>;

  before(async () => {
    watched = await brakedRegistry();
  });
  beforeEach(async () => await watched.restore());

  for (const [what, isHard] of [
    ["the state of a contract that nobody knows", ({ method }: Call) => method === "eth_call"],
    ["the events of all contracts", isOfAllContracts],
  ] as const) {
    it(`goes on, and names a forged claim, though the node breaks off where it is asked for ${what}`, async () => {
      const { deployer, consumer, proxy, provider } = watched;
      const decoy = await deployDecoy(deployer, String(consumer.target));
      await watched.claimHonestly(consumer);
      let last = 0;
      const watching = await runTestWatch(watched.environment, { onProgress: (judged) => (last = judged) });
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
      await watched.forgeClaim();
      await watching.waitFor("forged", mustBeFoundMs);
      expect(watching.of("forged")[0]?.finding.signer).to.equal(development.signer);
      const head = await provider.getBlockNumber();
      const until = Date.now() + patienceMs;
      while (last < head && Date.now() < until) await delay(100);
      expect(last).to.equal(head);
    });
  }

  it("names a forged claim behind a node that leaves out events after the thousandth without a word", async () => {
    const decoy = await watched.deployKnownDecoy();
    await watched.claimHonestly(watched.consumer);
    watched.proxy.behaviour = {
      answer: (method, answer) => {
        if (method === "eth_getLogs") answer.result = [answer.result].flat().slice(0, 1_000);
      },
    };
    const watching = await runTestWatch(watched.environment);
    const verification = await watched.forge(watched.consumer, "nobody");
    await watched.inOneBlock(
      () => decoy.emit(1_200),
      () => watched.submit(verification),
    );
    await delay(1_000);
    await watching.waitFor("forged", patienceMs);
    await delay(3_000);
    expect(watching.of("forged").map(({ finding }) => finding.signer)).to.include(development.signer);
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
      const watching = await runTestWatch(watched.environment);
      watched.proxy.behaviour = behave();
      const verification = await watched.forge(consumer, "nobody");
      await watched.inOneBlock(
        () => spam.emit(1),
        () => watched.submit(verification),
      );
      await watching.waitFor("forged", patienceMs);
      expect(watching.of("forged")[0]?.finding.signer).to.equal(development.signer);
      expect(watching.of("forged")).to.have.length(1);
      expect(watching.of("unproven")).to.deep.equal([]);
    });
  }

  it("says that it cannot brake while the node has no gas price, and brakes once it has", async () => {
    const watching = await runTestWatch(watched.environment, { brake: true });
    const prices = [null, "", "1.5"];
    watched.proxy.behaviour = {
      instead: ({ method }) =>
        method === "eth_gasPrice" && prices.length > 0 ? { result: prices.shift() } : undefined,
    };
    await watched.forgeClaim();
    await watching.waitFor("cannot-brake", patienceMs);
    expect(Object(watching.of("cannot-brake")[0]).problem).to.include(
      "did not answer eth_gasPrice with a number",
    );
    await watched.untilBraked(watching);
  });

  it("tells a forged claim within ten seconds where the node never answers what is asked of all contracts", async () => {
    watched.proxy.behaviour = { respond: () => undefined, only: isOfAllContracts };
    const watching = await runTestWatch(watched.environment, {
      consumers: new Set([String(watched.consumer.target)]),
    });
    for (let claims = 1; claims <= 2; claims++) {
      const since = performance.now();
      await watched.forgeClaim(`nobody ${claims}`);
      while (watching.of("forged").length < claims && performance.now() - since < mustBeFoundMs)
        await delay(50);
      expect(watching.of("forged"), JSON.stringify(watching.events)).to.have.length(claims);
    }
    await watching.stop();
  });

  it("makes at most twelve calls a look where six blocks are new", async () => {
    const { provider, proxy } = watched;
    let judged = 0;
    const onProgress = (block: number) => {
      judged = block;
    };
    const watching = await runTestWatch(watched.environment, { onProgress });
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

  it("learns what a limited plan allows: ten blocks a range, ten calls a batch, thirty a second", async () => {
    const { provider, proxy } = watched;
    const head = await provider.getBlockNumber();
    const { transactionHash } = await watched.forgeClaim();
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
    const watch = await prepareTestWatch(watched.environment, {
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
    const { transactionHash } = await watched.forgeClaim();
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
    const watch = await prepareTestWatch(watched.environment, { fromBlock: head + 1 });
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

  it("tells of no look that failed alone, however many there are", async () => {
    const { provider, proxy } = watched;
    let judged = 0;
    const watching = await runTestWatch(watched.environment, { onProgress: (block) => (judged = block) });
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
});
