import { expect } from "chai";
import { followChain } from "../../../../packages/operator/watch/reading/follow.ts";
import { ChainUnavailableError } from "../../../../packages/protocol/chain/connect.ts";
import { passTime } from "../../../fixtures/passTime.ts";
import { rejection } from "../../../fixtures/rejection.ts";

/** A chain whose blocks from a number on are of a fork; a tag that it does not know is refused. */
function fakeChain(confirmed: number | undefined, finalized = confirmed) {
  const chain = { head: 100, forkedFrom: 1_000, secondsEach: 12, confirmed, tags: 0 };
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
      chain.tags++;
      if (chain.confirmed === undefined) throw new ChainUnavailableError("Unknown tag.", { refused: true });
      return block(asked === "finalized" && finalized !== confirmed ? Number(finalized) : chain.confirmed);
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

  for (const [what, confirmed, head] of [
    ["long before the newest that is safe", 150, 200],
    ["that is the newest that is safe", 100, 200],
    ["25 minutes before the newest, where it knows no safe one", undefined, 225],
  ] as const) {
    it(`refuses a node that has replaced a block that cannot be undone: one ${what}`, async () => {
      const { chain, follow } = fakeChain(confirmed);
      const following = follow();
      Object.assign(chain, { head, forkedFrom: 100 });
      expect((await rejection(following.readNew())).message).to.include("has replaced the final block 100");
    });
  }

  it("notices that a block of the same number has replaced the newest one, and reads it", async () => {
    const { chain, hashOf, follow } = fakeChain(90);
    const following = follow();
    for (chain.head = 101; chain.head < 104; chain.head++) {
      const { head, newest } = await following.readNew();
      expect(newest.map(({ number }) => number)).to.deep.equal([chain.head]);
      following.advance(head);
    }
    Object.assign(chain, { head: 103, forkedFrom: 103 });
    const { newest } = await following.readNew();
    expect([newest.at(-1)?.hash, following.judged()]).to.deep.equal([hashOf(103), 100]);
  });

  it("counts the newest block that is safe as judged for good, which it asks for every six seconds, but none from an open claim on", async () => {
    const { chain, follow } = fakeChain(102);
    const following = follow();
    for (chain.head = 101; chain.head <= 106; chain.head++)
      following.advance((await following.readNew()).head);
    chain.head = 106;
    const confirmed = async (open = Number.POSITIVE_INFINITY) => {
      following.confirm((await following.readNew()).head, open);
      return following.confirmed().number;
    };
    expect(await confirmed()).to.equal(102);
    chain.confirmed = 105;
    expect(await confirmed()).to.equal(102);
    passTime(6_001);
    expect(await confirmed(104)).to.equal(103);
    expect(await confirmed()).to.equal(105);
    expect(chain.tags).to.equal(2);
  });

  it("asks a node that knows no safe block again after ten minutes, and meanwhile counts blocks of 25 minutes ago", async () => {
    const { chain, follow } = fakeChain(undefined);
    const following = follow();
    const looks = async (head: number) => {
      chain.head = head;
      const { head: read } = await following.readNew();
      following.advance(read);
      following.confirm(read, Number.POSITIVE_INFINITY);
      return [following.confirmed().number, chain.tags];
    };
    expect(await looks(101)).to.deep.equal([100, 1]);
    // 1488 seconds later, and 1500.
    expect(await looks(225)).to.deep.equal([100, 1]);
    expect(await looks(226)).to.deep.equal([101, 1]);
    passTime(600_001);
    chain.confirmed = 225;
    expect(await looks(227)).to.deep.equal([225, 2]);
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
