import { expect } from "chai";
import { followChain } from "../../../packages/operator/watch/follow.ts";
import { ChainUnavailableError } from "../../../packages/protocol/chain/connect.ts";
import { rejection } from "../../fixtures/rejection.ts";

/** A chain whose blocks from a number on are of a fork; a tag that it does not know is refused. */
function fakeChain(confirmed: number | undefined, finalized = confirmed) {
  const chain = { head: 100, forkedFrom: 1_000, secondsEach: 12 };
  const hashOf = (number: number) =>
    `0x${(number >= chain.forkedFrom ? "f" : "a") + number.toString(16).padStart(63, "0")}` as const;
  const block = (number: number) => ({
    number: `0x${number.toString(16)}`,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: `0x${(number * chain.secondsEach).toString(16)}`,
    logsBloom: "0x",
    transactions: [],
  });
  const node = {
    async request({ params }: { readonly params?: object | readonly unknown[] | undefined }) {
      const [asked] = params as [string];
      if (asked === "latest") return block(chain.head);
      if (asked.startsWith("0x")) return block(Number(asked));
      if (confirmed === undefined) throw new ChainUnavailableError("Unknown tag.", { refused: true });
      return block(asked === "finalized" ? Number(finalized) : confirmed);
    },
  };
  return { chain, hashOf, follow: () => followChain(node, { number: 100, hash: hashOf(100) }, "safe") };
}

describe("A watch that follows a chain", () => {
  for (const [what, confirmed, before, finalized, secondsEach] of [
    ["knows the last block that is final", 90, 90, 90, 12],
    ["has taken the last safe block away, and knows the last that is final", 100, 80, 80, 12],
    ["knows no such block", undefined, 36, undefined, 12],
    ["knows only its first block as final, which is older than a day", 0, 36, 0, 3_600],
  ] as const) {
    it(`goes on from further back if the block with which it began is undone, where the node ${what}`, async () => {
      const { chain, hashOf, follow } = fakeChain(confirmed, finalized);
      chain.secondsEach = secondsEach;
      const following = follow();
      expect((await following.readNew()).newest).to.deep.equal([]);
      Object.assign(chain, { head: 101, forkedFrom: 100 });
      const { newest } = await following.readNew();
      expect(newest.at(-1)?.number).to.equal(101);
      expect([following.judged(), following.confirmed().hash]).to.deep.equal([before, hashOf(before)]);
    });
  }

  it("refuses a node that has replaced a block that cannot be undone", async () => {
    const { chain, follow } = fakeChain(150);
    const following = follow();
    Object.assign(chain, { head: 200, forkedFrom: 100 });
    expect((await rejection(following.readNew())).message).to.include("has replaced the final block 100");
  });

  it("counts a block as judged for good after a day, though the node knows only its first block as safe", async () => {
    const { chain, follow } = fakeChain(0);
    const following = follow();
    for (chain.head = 101; chain.head < 110; chain.head++) {
      const { head } = await following.readNew();
      following.advance(head);
    }
    const { head } = await following.readNew();
    following.confirm({ ...head, timestamp: 105 * 12 + 86_400 }, Number.POSITIVE_INFINITY);
    expect(following.confirmed().number).to.equal(105);
  });
});
