import { expect } from "chai";
import { AbiCoder } from "ethers";
import { callAt } from "../../../../packages/operator/watch/reading/callAt.ts";
import { identityUsed, readInParts, readLogs } from "../../../../packages/operator/watch/reading/events.ts";
import { readHeader } from "../../../../packages/operator/watch/reading/header.ts";
import { isTooMuch } from "../../../../packages/operator/watch/reading/node.ts";
import { readReceipts } from "../../../../packages/operator/watch/reading/receipts.ts";
import { openShare, unlimited } from "../../../../packages/operator/watch/reading/shares.ts";
import { learnSpan } from "../../../../packages/operator/watch/reading/span.ts";
import { ChainUnavailableError } from "../../../../packages/protocol/chain/connect.ts";
import { passTime, stopTime } from "../../../fixtures/passTime.ts";
import { rejection } from "../../../fixtures/rejection.ts";

describe("A node that is asked for events", () => {
  const word = (digit: string) => `0x${digit.repeat(64)}` as const;
  const header = {
    number: "0xa",
    hash: word("a"),
    parentHash: word("9"),
    timestamp: "0x6",
    transactions: [],
  };
  const query = { topics: [identityUsed], from: 10, to: 10, end: 10 };
  const ask = (block: object | null, logs: () => unknown) =>
    rejection(
      readLogs({ request: async ({ method }) => (method === "eth_getLogs" ? logs() : block) }, query),
    );

  it("lags where it refuses the range because it lacks its last block, and is asked again", async () => {
    const error = await ask(null, () => {
      throw new ChainUnavailableError("block range extends beyond current head block", { refused: true });
    });
    expect([error.message, isTooMuch(error)]).to.deep.equal(["The node lags: it lacks the block 10.", false]);
  });

  it("is not believed where an event's topic is not 32 bytes, or its block is before or after those that were asked for", async () => {
    const log = {
      address: `0x${"1".repeat(40)}`,
      topics: [identityUsed, word("0"), word("b")],
      blockNumber: "0xa",
      blockHash: word("a"),
      transactionHash: word("c"),
    };
    const short = { ...log, topics: [identityUsed, "0x", word("b")] };
    expect((await ask(header, () => [short])).message).to.include("a topic that is not 32 bytes");
    for (const blockNumber of ["0x9", "0xb"]) {
      const other = { ...log, blockNumber, blockHash: word(blockNumber.slice(2)) };
      expect((await ask(header, () => [other])).message, blockNumber).to.include("events of other blocks");
    }
    const { message } = await ask(header, () => [{ ...log, blockHash: word("d") }]);
    expect(message, "another hash").to.include("events of other blocks");
  });

  it("is not believed where it answers another block than the one of a hash, or none's time", async () => {
    const read = (block: object) => rejection(readHeader({ request: async () => block }, word("b")));
    for (const wrong of [{ hash: word("a") }, { hash: word("b"), timestamp: "soon" }]) {
      const { message } = await read({ ...header, ...wrong });
      expect(message).to.include("answered with another block than the requested");
    }
  });

  it("is asked for the latest state only if it refuses the state of a block, and must have that block", async () => {
    const asked: string[] = [];
    const node = {
      block: header as object | null,
      problem: new ChainUnavailableError("hex string expected", { refused: true }),
      async request({ method, params }: { method: string; params?: object | undefined }) {
        const at = (params as readonly unknown[] | undefined)?.[1];
        if (method !== "eth_call") return node.block;
        asked.push(at === "latest" ? at : "block");
        if (at !== "latest") throw node.problem;
        return new AbiCoder().encode(["tuple(bool,bool,bool,uint256,bytes)[]"], [[]]);
      },
    };
    const ask = () => callAt(node, word("a"), []);
    expect(await ask()).to.deep.equal([]);
    node.block = null;
    expect((await rejection(ask())).message).to.include("The node lags: it lacks the block");
    expect(asked).to.deep.equal(["block", "latest", "block", "latest"]);
    node.problem = new ChainUnavailableError("The node is away.");
    expect(await rejection(ask())).to.equal(node.problem);
    expect(asked).to.have.length(5);
  });

  const tooMuch = () => new ChainUnavailableError("Too many results.", { refused: true, limit: "size" });
  const nameBlock = (block: number) => `0x${block.toString(16).padStart(64, "0")}` as const;
  const address = `0x${"1".repeat(40)}`;
  /** A node with one event in each block, which answers for so many blocks at once. */
  const limitedNode = (most: number) => ({
    async request({ method, params }: { method: string; params?: object | undefined }) {
      const [asked] = params as [string & Record<"fromBlock" | "toBlock", string>];
      if (method !== "eth_getLogs") return { ...header, number: asked, hash: nameBlock(Number(asked)) };
      const [from, to] = [Number(asked.fromBlock), Number(asked.toBlock)];
      if (to - from >= most) throw tooMuch();
      return Array.from({ length: to - from + 1 }, (_, i) => ({
        address,
        topics: [identityUsed, word("a"), word("b")],
        blockNumber: `0x${(from + i).toString(16)}`,
        blockHash: nameBlock(from + i),
        transactionHash: word("c"),
        // A node that tells what a reorganization took away tells the rest as well.
        removed: from + i === 12,
      }));
    },
  });

  it("is asked for parts of the blocks until none is missing, and for no event that was taken back", async () => {
    for (const most of [1, 2, 3]) {
      const range = { topics: [identityUsed], from: 10, to: 16, end: 16 };
      const onLeft = () => expect.fail("Nothing is left out.");
      const found = await readInParts(limitedNode(most), range, { share: unlimited, onLeft });
      expect(found.map(({ block }) => block)).to.deep.equal([10, 11, 13, 14, 15, 16]);
    }
  });

  it("leaves a block out, and says so, that has more events of one contract than it gives, and no receipts", async () => {
    const node = {
      async request({ method }: { method: string }) {
        if (method === "eth_getBlockByNumber") return { ...header, transactions: ["one"] };
        throw tooMuch();
      },
    };
    const told: string[] = [];
    const onLeft = (_query: object, problem: string) => told.push(problem);
    const asked = { ...query, addresses: [address] };
    expect(await readInParts(node, asked, { share: unlimited, onLeft })).to.deep.equal([]);
    expect(told).to.deep.equal(["The block has more events than the node gives."]);
  });

  /** A node with a thousand events of one contract in block 12, which gives them only in its receipts. */
  const roundNode = {
    async request({ method, params }: { method: string; params?: object | undefined }) {
      const [asked] = params as [string & Record<"fromBlock" | "toBlock", string>];
      const events = Array.from({ length: 1_000 }, (_, i) => ({
        address,
        topics: [identityUsed, word("a"), nameBlock(i)],
        blockNumber: "0xc",
        blockHash: nameBlock(12),
        transactionHash: word("c"),
      }));
      if (method === "eth_getBlockReceipts") return [{ blockHash: nameBlock(12), logs: events }];
      if (method !== "eth_getLogs")
        return { ...header, number: asked, hash: nameBlock(Number(asked)), transactions: ["one"] };
      return Number(asked.fromBlock) <= 12 && Number(asked.toBlock) >= 12 ? events : [];
    },
  };

  it("is asked in place for parts of the blocks where it answers a round number of events, which it does not refuse", async () => {
    const range = { addresses: [address], topics: [identityUsed], from: 10, to: 16, end: 16 };
    const onLeft = () => expect.fail("Nothing is left out.");
    expect(await readInParts(roundNode, range, { share: unlimited, onLeft })).to.have.length(1_000);
    const refused = readInParts(limitedNode(6), range, { share: unlimited, onLeft });
    expect((await rejection(refused)).message).to.equal("Too many results.");
  });

  it("is asked for the receipts of consumers that the operator named though others have used up the share", async () => {
    stopTime();
    const share = openShare();
    share.take(2_000);
    const asked = { addresses: [address], topics: [identityUsed], from: 12, to: 12, end: 12 };
    const left: string[] = [];
    const onLeft = (_query: object, problem: string) => left.push(problem);
    expect(await readInParts(roundNode, asked, { share, onLeft, named: new Set([address]) })).to.have.length(
      1_000,
    );
    expect(left).to.deep.equal([]);
    expect(await readInParts(roundNode, asked, { share, onLeft })).to.deep.equal([]);
    expect(left).to.deep.equal(["The block has more events than the node gives."]);
  });

  it("is asked for each receipt where it answers fewer for a block than it has transactions", async () => {
    const receipt = (name: string) => ({ blockHash: word("a"), logs: [name] });
    const node = {
      request: async ({ method, params }: { method: string; params?: object | undefined }) =>
        method === "eth_getBlockReceipts" ? [receipt("one")] : receipt(String(Object(params)[0])),
    };
    const block = { number: 10, parentHash: word("9"), timestamp: 6, logsBloom: "0x" };
    const named = { ...block, hash: word("a"), transactions: ["one", "two"] };
    expect(await readReceipts(node, named, unlimited)).to.deep.equal(["one", "two"]);
    // One call for all receipts, and one for the first: a part of a block's events is not passed off as all.
    let left = 2;
    expect(await readReceipts(node, named, { take: () => left-- > 0, spend: () => undefined })).to.equal(
      undefined,
    );
  });

  it("is asked for half of the contracts at a time where a block has too many of their events, and for no more blocks", async () => {
    const node = {
      async request({ method, params }: { method: string; params?: object | undefined }) {
        if (method !== "eth_getLogs") return header;
        const { address: named } = Object(params)[0] as { address: string[] };
        if (named.length > 2) throw tooMuch();
        return named.map((each, i) => ({
          address: each,
          topics: [identityUsed, word("0"), word("b")],
          blockNumber: "0xa",
          blockHash: word("a"),
          transactionHash: word(String(i)),
        }));
      },
    };
    const addresses = ["1", "2", "3", "4", "5"].map((digit) => `0x${digit.repeat(40)}`);
    const onLeft = () => expect.fail("Nothing is left out.");
    const fail = () => expect.fail("Named contracts pay for their receipts only.");
    const share = { take: fail, spend: fail };
    const found = await readInParts(node, { ...query, addresses }, { share, onLeft });
    expect(found.map(({ address }) => address)).to.deep.equal(addresses);
  });
});

describe("The share of a watch's time that contracts have", () => {
  it("refills while it is not used, and never holds more than at first", () => {
    stopTime();
    const share = openShare();
    expect([share.take(2_001), share.take(2_000), share.take(1)]).to.deep.equal([false, true, false]);
    passTime(1_000);
    expect([share.take(401), share.take(400)]).to.deep.equal([false, true]);
    passTime(3_600_000);
    expect([share.take(2_001), share.take(1_900, 101), share.take(1_900, 100)]).to.deep.equal([
      false,
      false,
      true,
    ]);
    passTime(3_600_000);
    share.spend(1_500, 100);
    share.spend(1_000, 100);
    expect([share.take(101), share.take(40)]).to.deep.equal([false, true]);
    share.spend(1_000, 100);
    expect([share.take(61), share.take(60)]).to.deep.equal([false, true]);
  });
});

describe("The blocks that a watch asks for at once", () => {
  /** Asks a node of a limit so many times, and returns how many blocks it takes then. */
  function learn(span: ReturnType<typeof learnSpan>, limit: number, times: number): number {
    for (let i = 0; i < times; i++) {
      const blocks = span.next();
      if (blocks > limit) span.refuse(blocks);
      else span.take(blocks);
    }
    return span.next();
  }

  it("are as many as the node takes, also after its limit has fallen, and fallen again", () => {
    const span = learnSpan();
    expect(learn(span, 700, 20)).to.equal(700);
    expect(learn(span, 50, 40)).to.equal(50);
    expect(learn(span, 1, 20)).to.equal(1);
  });

  it("are ten thousand at most", () => {
    expect(learn(learnSpan(), 1_000_000, 20)).to.equal(10_000);
  });

  it("are tried to be more half an hour after the node has refused them", () => {
    const span = learnSpan();
    expect(learn(span, 700, 20)).to.equal(700);
    passTime(1_799_000);
    expect(learn(span, 5_000, 20)).to.equal(700);
    passTime(2_000);
    expect(learn(span, 5_000, 30)).to.equal(5_000);
  });
});
