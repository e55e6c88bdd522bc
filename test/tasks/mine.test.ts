import { expect } from "chai";
import { network } from "hardhat";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("Mining many blocks on a local chain of type op", () => {
  const networks = { op: "identityLocal", l1: "default" } as const;

  async function fixture(chainType: keyof typeof networks) {
    const connection = await network.create({ network: networks[chainType], chainType });
    const { close, ethers, networkHelpers, provider } = connection;
    onCleanup(close);
    /** The seconds between one block and the next, from the genesis block on. */
    async function intervals() {
      const head = await ethers.provider.getBlockNumber();
      const numbers = Array.from({ length: head + 1 }, (_, number) => number);
      const blocks = await Promise.all(numbers.map((number) => ethers.provider.getBlock(number)));
      const times = blocks.map((block) => Number(block?.timestamp));
      return times.slice(1).map((time, i) => time - Number(times[i]));
    }
    return { ethers, networkHelpers, provider, intervals };
  }

  it("mines all blocks with the same seconds in between as a chain of type l1", async () => {
    const mined = async (chainType: keyof typeof networks) => {
      const { networkHelpers, intervals } = await fixture(chainType);
      await networkHelpers.mine();
      await networkHelpers.mine(50);
      await networkHelpers.mine(15, { interval: 60 });
      await networkHelpers.time.setNextBlockTimestamp((await networkHelpers.time.latest()) + 1000);
      await networkHelpers.mine(8, { interval: 2 });
      await networkHelpers.mineUpTo(100);
      return (await intervals()).slice(1);
    };
    const [op, l1] = [await mined("op"), await mined("l1")];
    expect(op).to.have.length(99);
    expect(op).to.deep.equal(l1);
  });

  it("mines blocks for which no seconds in between are asked", async () => {
    const { ethers, provider } = await fixture("op");
    await provider.request({ method: "hardhat_mine", params: ["0x9", "0x0"] });
    expect(await ethers.provider.getBlockNumber()).to.equal(9);
  });

  it("mines the same number of blocks over HTTP", async () => {
    const { provider } = await serveLocalChain();
    await provider.send("hardhat_mine", ["0x32"]);
    await provider.send("hardhat_mine", [50, null]);
    await provider.send("hardhat_mine", ["50"]);
    expect(await provider.getBlockNumber()).to.equal(150);
  });

  it("shows the node's own refusal", async () => {
    const { provider, ethers } = await fixture("op");
    const mine = (...params: unknown[]) => provider.request({ method: "hardhat_mine", params });
    for (const params of [["many"], ["0x32", "soon"], ["0y32"], [-50]]) {
      expect((await rejection(mine(...params))).message).to.match(/invalid|expected/i);
    }
    expect(await ethers.provider.getBlockNumber()).to.equal(0);
    // Times have 64 bits.
    expect((await rejection(mine("0x32", `0x${"f".repeat(16)}`))).message).to.match(
      /overflow|timestamp|time/i,
    );
  });
});
