import { expect } from "chai";
import { network } from "hardhat";
import {
  readAuthenticationTime,
  readBlockTimestamp,
  readChainTime,
} from "../../../packages/protocol/chain/clock.ts";
import { ChainUnavailableError } from "../../../packages/protocol/chain/connect.ts";
import { changeNode, type Instead } from "../../fixtures/chain/changeNode.ts";
import { withoutPending } from "../../fixtures/chain/withoutPending.ts";
import { rejection } from "../../fixtures/rejection.ts";

const day = 86_400;

/** Public nodes' answers to the methods that identify a local node. */
const hideThatItIsLocal: Instead = ({ method }) =>
  ["hardhat_metadata", "anvil_nodeInfo"].includes(method)
    ? { error: { code: -32601, message: "unknown method" } }
    : undefined;

/** A node whose clock is so many seconds off the wall clock. */
async function nodeOff(seconds: number) {
  const initialDate = new Date(Date.now() + seconds * 1000);
  const { provider } = await network.create({ network: "identityLocal", override: { initialDate } });
  return provider;
}

/** Asserts that a time is about so many seconds off the wall clock: closer to that than to any other that is meant. */
async function expectOff(seconds: number, read: () => Promise<number>): Promise<void> {
  expect(Math.round((await read()) - Date.now() / 1000)).to.be.closeTo(seconds, 25);
}

describe("readChainTime", () => {
  it("believes a local node, however far its clock is off", async () => {
    for (const seconds of [-day, day]) {
      const node = await nodeOff(seconds);
      await expectOff(seconds, async () => (await readChainTime(node)).now);
    }
  });

  it("takes the clock of any other node to be at most a minute off", async () => {
    for (const [seconds, believed] of [
      [-day, -60],
      [day, 60],
    ] as const) {
      const node = changeNode(await nodeOff(seconds), hideThatItIsLocal);
      await expectOff(believed, async () => (await readChainTime(node)).now);
    }
  });

  it("does not ask the node whether it is local if the caller knows", async () => {
    const node = await nodeOff(day);
    await expectOff(60, async () => (await readChainTime(node, async () => false)).now);
  });

  for (const [how, instead] of Object.entries(withoutPending)) {
    it(`takes the later of the latest block and the wall clock if the node ${how}`, async () => {
      for (const [seconds, believed] of [
        [-day, 0],
        [day, day],
      ] as const) {
        const node = changeNode(await nodeOff(seconds), instead);
        await expectOff(believed, async () => (await readChainTime(node)).now);
      }
    });
  }

  it("takes the later of the latest block and the pending one, which may stand still", async () => {
    for (const [latest, pending, believed] of [
      [0, -50, 0],
      [0, 0, 0],
      [-10, -4, -4],
      [-10, 0, 0],
    ] as const) {
      const now = Math.floor(Date.now() / 1000);
      const node = changeNode(await nodeOff(0), ({ method, params = [] }) => {
        if (method !== "eth_getBlockByNumber") return hideThatItIsLocal({ method });
        const timestamp = now + (params[0] === "pending" ? pending : latest);
        return { result: { number: "0x1", timestamp: `0x${timestamp.toString(16)}` } };
      });
      expect((await readChainTime(node)).now).to.equal(now + believed);
    }
  });

  it("returns number and time of the latest block", async () => {
    const node = await nodeOff(-day);
    await node.request({ method: "evm_mine" });
    const { latest } = await readChainTime(node);
    expect(latest.number).to.equal(1n);
    expect(latest.timestamp).to.equal(await readBlockTimestamp(node, 1n));
  });

  it("refuses times within an hour of 2^40, after which the longest verification could not expire", async () => {
    const node = await nodeOff(0);
    const latest = 2 ** 40 - 1 - 3_600;
    const at = (timestamp: number) =>
      changeNode(node, ({ method }) =>
        method === "eth_getBlockByNumber"
          ? { result: { number: "0x1", timestamp: `0x${timestamp.toString(16)}` } }
          : undefined,
      );
    expect((await readChainTime(at(latest))).now).to.equal(latest);
    const error = await rejection(readChainTime(at(latest + 1)));
    expect(error).to.be.instanceOf(ChainUnavailableError);
    expect(error.message).to.include("too late for any verification");
  });

  it("fails with a node that cannot be reached, has no block, or answers something else", async () => {
    const node = await nodeOff(0);
    const unreachable = changeNode(node, ({ params = [] }) => {
      if (Object.values(params)[0] === "pending") throw new ChainUnavailableError("The node is down.");
      return undefined;
    });
    const answering = (result: unknown) =>
      changeNode(node, ({ method }) => (method === "eth_getBlockByNumber" ? { result } : undefined));
    for (const [broken, message] of [
      [unreachable, "The node is down."],
      [answering(null), "The node has no latest block."],
      ...[
        { number: "0x1" },
        { timestamp: "0x1" },
        { number: ["0x1"], timestamp: "0x1" },
        ...["1", "x0x1", "0x1 ", "0x", `0x${"1".repeat(14)}`].map((timestamp) => ({
          number: "0x1",
          timestamp,
        })),
      ].map(
        (block) =>
          [answering(block), "The node answered with a block that has no number or timestamp."] as const,
      ),
    ] as const) {
      const error = await rejection(readChainTime(broken));
      expect(error).to.be.instanceOf(ChainUnavailableError);
      expect(error.message).to.equal(message);
    }
  });
});

describe("readAuthenticationTime", () => {
  it("is the wall clock, or a local node's chain", async () => {
    const node = await nodeOff(day);
    await expectOff(0, () => readAuthenticationTime(undefined));
    await expectOff(day, () => readAuthenticationTime(node));
  });
});

describe("readBlockTimestamp", () => {
  it("names a block that the node does not have", async () => {
    const error = await rejection(readBlockTimestamp(await nodeOff(0), 7n));
    expect(error).to.be.instanceOf(ChainUnavailableError);
    expect(error.message).to.include("The node does not have block 7");
  });
});
