import { expect } from "chai";
import { network } from "hardhat";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { NetworkConfig } from "hardhat/types/config";
import { isIdentityUsed } from "../../packages/client/index.ts";
import hardhatIdentity from "../../tasks/index.ts";
import { hasFastBlocks } from "../../tasks/internal/fastBlocks.ts";
import { fastBlocks } from "../../tasks/networks.ts";
import { deployConsumers } from "../fixtures/chain/consumer.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { onCleanup } from "../fixtures/cleanup.ts";

interface Block {
  readonly number: string;
  readonly timestamp: string;
  readonly transactions: readonly string[];
}

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>;

/** A chain with a block each 50 ms, whose clock is the wall clock's. */
async function fixture() {
  const { provider } = await serveLocalChain({ blockMs: 50, late: 0 });
  const ask: Ask = (method, ...params) => provider.send(method, params);
  const readBlock = async (tag: string) => (await ask("eth_getBlockByNumber", tag, false)) as Block;
  return { ask, readBlock };
}

describe("A simulated network with fast blocks", () => {
  it("is a chain of type op with id 84532, to be had from the package's networks", async () => {
    const { config } = await createHardhatRuntimeEnvironment({
      plugins: [hardhatIdentity],
      networks: { fast: fastBlocks(), faster: fastBlocks(50) },
    });
    const { fast, faster } = config.networks;
    expect(fast).to.deep.include({ chainType: "op", chainId: 84532, allowBlocksWithSameTimestamp: true });
    expect([fast, faster].map((each) => Object(each).mining)).to.deep.equal([
      { auto: false, interval: 200, mempool: { order: "priority" } },
      { auto: false, interval: 50, mempool: { order: "priority" } },
    ]);
  });

  it("has every block in less than a second, also where its pace varies", () => {
    const isFast = (interval: number | [number, number]) => {
      const network = { type: "edr-simulated", chainType: "op", allowBlocksWithSameTimestamp: true };
      return hasFastBlocks({ ...network, mining: { auto: false, interval } } as unknown as NetworkConfig);
    };
    expect([isFast(999), isFast(1_000), isFast([200, 999]), isFast([200, 1_000])]).to.deep.equal([
      true,
      false,
      true,
      false,
    ]);
  });

  it("has several blocks in a second with its timestamp, and a clock that keeps to the wall clock", async () => {
    const { ask, readBlock } = await fixture();
    const began = Date.now();
    while (Number(await ask("eth_blockNumber")) < 30);
    const seconds = (Date.now() - began) / 1_000;
    const blocks: Block[] = [];
    for (let number = 1; number <= 30; number++) blocks.push(await readBlock(`0x${number.toString(16)}`));
    const times = blocks.map(({ timestamp }) => Number(timestamp));
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    // With a second of its own for each, the thirty blocks would take thirty.
    expect(last - first).to.be.at.most(Math.ceil(seconds) + 1);
    expect(new Set(times).size).to.be.below(30);
    expect(Number((await readBlock("latest")).timestamp)).to.be.closeTo(Math.round(Date.now() / 1_000), 5);
  });

  it("answers latest for pending, and still counts the transactions that wait in a nonce", async () => {
    const { ask, readBlock } = await fixture();
    const [from, to] = (await ask("eth_accounts")) as string[];
    await ask("evm_setIntervalMining", 0);
    const balance = (tag: string) => ask("eth_getBalance", to, tag);
    const [before, head] = [await balance("latest"), await readBlock("latest")];
    await ask("eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208" });
    expect(await balance("pending")).to.equal(before);
    expect(await readBlock("pending")).to.deep.equal(head);
    expect(await ask("eth_getBlockTransactionCountByNumber", "pending")).to.equal("0x0");
    expect(await ask("eth_getTransactionCount", from, "pending")).to.equal("0x1");
    expect(await ask("eth_getTransactionCount", from, "latest")).to.equal("0x0");
    await ask("evm_mine");
    expect(BigInt(String(await balance("pending")))).to.equal(BigInt(String(before)) + 1n);
  });

  it("leaves pending as it is on a network that mines by itself otherwise", async () => {
    for (const override of [
      { mining: { auto: false, interval: 0 } },
      { mining: { auto: false, interval: 3_600_000 }, allowBlocksWithSameTimestamp: true },
      { mining: { auto: true, interval: 500 }, allowBlocksWithSameTimestamp: true },
    ]) {
      const { provider: node, close } = await network.create({ network: "identityLocal", override });
      onCleanup(close);
      const [from] = (await node.request({ method: "eth_accounts" })) as string[];
      await node.request({ method: "evm_setAutomine", params: [false] });
      await node.request({ method: "eth_sendTransaction", params: [{ from, to: from, gas: "0x5208" }] });
      const params = ["pending"];
      const count = await node.request({ method: "eth_getBlockTransactionCountByNumber", params });
      expect(count, JSON.stringify(override)).to.equal("0x1");
    }
  });

  it("runs a project's own tests: registry, consumer, claim and reading", async () => {
    const { mining = {}, allowBlocksWithSameTimestamp = false } = fastBlocks(50);
    const override = { mining, allowBlocksWithSameTimestamp };
    const { provider: node, close } = await network.create({ network: "identityLocal", override });
    onCleanup(close);
    const { identity, user, consumers } = await deployConsumers(node, "IncentiveProgram");
    const [consumer = ""] = consumers;
    const { identityHash, args } = await identity.mint({ consumer, user, identity: "alice" });
    expect(args).to.have.length(3);
    expect(await isIdentityUsed(node, { consumer, identityHash, block: "pending" })).to.equal(false);
  });
});
