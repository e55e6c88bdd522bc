import { expect } from "chai";
import { AbiCoder, id } from "ethers";
import { network } from "hardhat";
import type { SpendGas } from "../../../packages/protocol/chain/boundedCalls.ts";
import { type Chain, ChainUnavailableError } from "../../../packages/protocol/chain/connect.ts";
import { consumerReader } from "../../../packages/protocol/chain/consumer.ts";
import { PolicyError } from "../../../packages/protocol/chain/policy.ts";
import { encodePolicy } from "../../../packages/protocol/policyEncoding.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";

const signer = `0x${"34".repeat(20)}`;
const policy = { provider: "microblog", conditions: [{ name: "followers", op: "gt", value: "1000" }] };
const word = (value: number) => AbiCoder.defaultAbiCoder().encode(["uint256"], [value]);

describe("consumerReader", () => {
  /** A chain with a registry and a consumer that answers what a test wants, and a reader of it. */
  async function fixture(options: { isLocal?: boolean; signers?: readonly string[] } = {}) {
    const { isLocal = false, signers = [signer] } = options;
    const { provider, ethers, networkHelpers } = await network.create("identityLocal");
    const [owner] = await ethers.getSigners();
    const registry = await ethers.deployContract("SignerRegistry", [owner, [signer]]);
    const contract = await ethers.deployContract("ScriptedConsumer");
    const script = (getter: string, data: string) =>
      contract.script(id(`${getter}()`).slice(0, 10), false, data);
    const encoded = encodePolicy(policy);
    await script("provider", encoded.provider);
    await script("conditions", encoded.conditions);
    const node = {
      methods: [] as string[],
      /** A block that the node does not have. */
      lacks: "",
      /** Every answer waits for this. */
      held: Promise.resolve(),
    };
    const chain: Chain = {
      open: () => ({
        async request(asked) {
          node.methods.push(asked.method);
          const params = Object.values(asked.params ?? []);
          const answer = params[0] === node.lacks ? null : await provider.request({ ...asked, params });
          await node.held;
          return answer;
        },
        within: (answer) => answer,
      }),
    };
    const allowlist = { registry: await registry.getAddress(), signers };
    const readConsumer = consumerReader({ chain, allowlist, isLocal: async () => isLocal });
    const consumer = await contract.getAddress();
    const spent: number[] = [];
    const spend: SpendGas = (gas, ask) => {
      spent.push(gas);
      return ask();
    };
    const read = (address = consumer) => readConsumer(chain.open(), address, spend);
    return {
      read,
      readConsumer,
      chain,
      node,

      spent,
      script,
      consumer,
      encoded,
      ethers,
      networkHelpers,
    };
  }

  it("reads policy, time and allowlist of one moment in one round trip", async () => {
    const { read, node, consumer, encoded, ethers } = await fixture();
    const reading = await read();
    expect(reading.policy()).to.deep.equal({ encoded, policy, cutoffBlock: 0n });
    expect(reading.cutoffTime()).to.equal(undefined);
    expect(reading.allowlist).to.deep.equal({ allowed: [signer], problem: undefined, missing: [] });
    const latest = await ethers.provider.getBlock("latest");
    expect(reading.time.latest).to.deep.equal({
      number: BigInt(latest?.number ?? 0),
      timestamp: latest?.timestamp,
    });
    expect(node.methods).to.have.members(["eth_call", "eth_getBlockByNumber", "eth_getBlockByNumber"]);
    expect((await read(consumer.toLowerCase())).policy().policy).to.deep.equal(policy);
  });

  it("returns the reading's age from when the node was asked", async () => {
    stopTime();
    const { read, node } = await fixture();
    let answer = () => {};
    node.held = new Promise((resolve) => {
      answer = resolve;
    });
    const asked = read();
    await new Promise(setImmediate);
    passTime(300);
    answer();
    const reading = await asked;
    expect(reading.age()).to.equal(300);
    passTime(400);
    expect(reading.age()).to.equal(700);
  });

  it("returns the time of the cutoff's block, and none for a future block", async () => {
    const { read, script, ethers, networkHelpers } = await fixture({ isLocal: true });
    await networkHelpers.mine(3, { interval: 100 });
    const number = await ethers.provider.getBlockNumber();
    // Each script is a transaction, and so a block.
    for (const [blocks, cutoff] of [
      [1, number - 1],
      [2, number + 2],
      [3, number + 4],
    ] as const) {
      await script("cutoffBlock", word(cutoff));
      const latest = await ethers.provider.getBlockNumber();
      expect(latest).to.equal(number + blocks);
      const block = cutoff > latest ? undefined : await ethers.provider.getBlock(cutoff);
      expect((await read()).cutoffTime(), `${cutoff} of ${latest}`).to.equal(block?.timestamp);
    }
  });

  it("fails only for the cutoff's time if the node does not have the block", async () => {
    const { read, script, node } = await fixture();
    await script("cutoffBlock", word(1));
    node.lacks = "0x1";
    const reading = await read();
    expect(reading.policy().cutoffBlock).to.equal(1n);
    expect(reading.cutoffTime).to.throw(
      ChainUnavailableError,
      "does not have block 1: it must keep the headers",
    );
  });

  it("returns everything else for a contract without a policy", async () => {
    const { read, ethers } = await fixture();
    const reading = await read(`0x${"12".repeat(20)}`);
    expect(reading.policy).to.throw(PolicyError, "There is no contract");
    expect(reading.cutoffTime()).to.equal(undefined);
    expect(reading.allowlist.allowed).to.deep.equal([signer]);
    expect(reading.time.latest.number).to.equal(BigInt(await ethers.provider.getBlockNumber()));
  });

  it("assumes the clock of a public chain to be off by a minute at most", async () => {
    for (const [isLocal, off] of [
      [true, 86_400],
      [false, 60],
    ] as const) {
      const { read, networkHelpers } = await fixture({ isLocal });
      await networkHelpers.time.increaseTo(Math.round(Date.now() / 1000) + 86_400);
      expect(Math.round((await read()).time.now - Date.now() / 1000)).to.be.closeTo(off, 25);
    }
  });

  it("reserves the gas of all calls while the node is asked, and none for readers who join", async () => {
    const signers = [signer, `0x${"56".repeat(20)}`];
    stopTime();
    const { read, spent, node } = await fixture({ signers });
    await Promise.all([read(), read()]);
    expect(node.methods).to.have.length(3);
    expect(spent).to.deep.equal([2 * 200_000 + 2 * 250_000 + 1_500_000]);
    await read();
    expect(spent).to.have.length(1);
    passTime(1_000);
    await read();
    expect(spent).to.have.length(2);
  });

  it("keeps the time of a cutoff's block that is final, for when the node no longer has the block", async () => {
    const { read, script, node, networkHelpers } = await fixture();
    stopTime();
    await script("cutoffBlock", word(1));
    const first = (await read()).cutoffTime();
    passTime(1_000);
    node.lacks = "0x1";
    // It is not an hour older than the latest block, and may still be replaced.
    expect((await read()).cutoffTime).to.throw(ChainUnavailableError);
    node.lacks = "";
    await networkHelpers.mine(2, { interval: 3_600 });
    passTime(1_000);
    expect((await read()).cutoffTime()).to.equal(first);
    passTime(1_000);
    node.lacks = "0x1";
    expect((await read()).cutoffTime()).to.equal(first);
  });

  it("joins a reading that another has begun while it waited for its gas, and gives the gas back at once", async () => {
    const { readConsumer, chain, consumer, node } = await fixture();
    const order: string[] = [];
    let release = () => {};
    const turn = new Promise<void>((resolve) => {
      release = resolve;
    });
    const late: SpendGas = async (_gas, ask) => {
      await turn;
      const answer = await ask();
      order.push("gas is back");
      return answer;
    };
    const asked = readConsumer(chain.open(), consumer, late).then(() => order.push("answered"));
    let answer = () => {};
    node.held = new Promise((resolve) => {
      answer = resolve;
    });
    const first = readConsumer(chain.open(), consumer);
    release();
    while (order.length === 0) await new Promise(setImmediate);
    answer();
    await Promise.all([asked, first]);
    expect(order).to.deep.equal(["gas is back", "answered"]);
    expect(node.methods).to.have.length(3);
  });

  it("lets each reader wait no longer than its own conversation", async () => {
    const { readConsumer, chain, consumer, node } = await fixture();
    let answer = () => {};
    node.held = new Promise((resolve) => {
      answer = resolve;
    });
    const over = new Error("It is over.");
    const hurried = { ...chain.open(), within: () => Promise.reject(over) };
    const first = readConsumer(chain.open(), consumer);
    expect(await rejection(readConsumer(hurried, consumer))).to.equal(over);
    answer();
    const reading = await first;
    expect(reading.policy().policy).to.deep.equal(policy);
    expect(await readConsumer(hurried, consumer), "nobody waits for a kept reading").to.equal(reading);
  });

  describe("when one more asks about a consumer", () => {
    /** How often the node is asked when one more asks right after another. */
    async function askOnceMore(found: Awaited<ReturnType<typeof fixture>>): Promise<number> {
      stopTime();
      await found.read();
      found.node.methods.length = 0;
      await found.read();
      return found.node.methods.length;
    }

    it("answers from one reading for a second", async () => {
      const found = await fixture();
      expect(await askOnceMore(found)).to.equal(0);
      passTime(1_000);
      await found.read();
      expect(found.node.methods).to.have.length(3);
    });

    it("begins the next reading in time, for which nobody waits", async () => {
      const { read, node } = await fixture();
      stopTime();
      const first = await read();
      passTime(749);
      expect(await read()).to.equal(first);
      expect(node.methods).to.have.length(3);
      let answer = () => {};
      node.held = new Promise((resolve) => {
        answer = resolve;
      });
      passTime(1);
      expect([await read(), await read()], "while the node is asked").to.deep.equal([first, first]);
      await new Promise(setImmediate);
      expect(node.methods).to.have.length(6);
      answer();
      while ((await read()) === first) await new Promise(setImmediate);
      passTime(749);
      expect((await read()).age()).to.equal(749);
      expect(node.methods).to.have.length(6);
    });

    it("reads a local node anew, whose clock and blocks a test may move", async () => {
      expect(await askOnceMore(await fixture({ isLocal: true }))).to.equal(3);
    });

    it("keeps no reading of a registry that does not have the signer", async () => {
      expect(await askOnceMore(await fixture({ signers: [`0x${"56".repeat(20)}`] }))).to.equal(3);
    });

    it("keeps no failed reading of a policy or cutoff", async () => {
      const withoutPolicy = await fixture();
      await withoutPolicy.script("conditions", "0x");
      expect(await askOnceMore(withoutPolicy)).to.equal(3);
      const withoutBlock = await fixture();
      await withoutBlock.script("cutoffBlock", word(1));
      expect(await askOnceMore(withoutBlock)).to.equal(0);
      const lacking = await fixture();
      await lacking.script("cutoffBlock", word(1));
      lacking.node.lacks = "0x1";
      expect(await askOnceMore(lacking)).to.equal(4);
    });
  });
});
