import { expect } from "chai";
import { identityUsed, readLogs } from "../../../packages/operator/watch/events.ts";
import { isTooMuch } from "../../../packages/operator/watch/node.ts";
import { learnSpan } from "../../../packages/operator/watch/span.ts";
import { ChainUnavailableError } from "../../../packages/protocol/chain/connect.ts";
import { rejection } from "../../fixtures/rejection.ts";

describe("A node that is asked for events", () => {
  const word = (digit: string) => `0x${digit.repeat(64)}`;
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

  it("is not believed where an event's topic is not 32 bytes", async () => {
    const log = {
      address: `0x${"1".repeat(40)}`,
      topics: [identityUsed, "0x", word("b")],
      blockNumber: "0xa",
      blockHash: word("a"),
      transactionHash: word("c"),
    };
    expect((await ask(header, () => [log])).message).to.include("a topic that is not 32 bytes");
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
});
