import { expect } from "chai";
import {
  type Finding,
  type ForgedClaim,
  keepFindings,
} from "../../../packages/operator/watch/judging/findings.ts";
import type { Verdict } from "../../../packages/operator/watch/judging/judge.ts";
import { groups, keepOpenClaims } from "../../../packages/operator/watch/openClaims.ts";
import { identityUsed, type Log } from "../../../packages/operator/watch/reading/events.ts";
import type { Header } from "../../../packages/operator/watch/reading/header.ts";
import { ChainUnavailableError } from "../../../packages/protocol/chain/connect.ts";
import { passTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";

const word = (digit: string) => `0x${digit.repeat(64)}` as const;

/** An event of a claim at a consumer, in a block. */
const claimAt = (block: number, address = "consumer"): Log => ({
  address,
  topics: [identityUsed, word("0"), word("1")],
  block,
  blockHash: word(String(block)),
  transactionHash: `transaction of ${block}`,
  readAt: performance.now(),
});

const forgedBy = ({ address, topics, block, transactionHash }: Log): ForgedClaim => ({
  kind: "forged",
  consumer: address,
  round: String(topics[1]),
  identityHash: String(topics[2]),
  transactionHash,
  block,
  signer: "a signer",
});

describe("The claims that a watch has yet to judge", () => {
  /** Claims of consumers that are all known, or not, a judge that is told its verdict, and what it was asked. */
  function fixture(areKnown = true) {
    const undone: Finding[] = [];
    const findings = keepFindings([], (finding) => undone.push(finding), new Set());
    const judge = {
      verdict: "found" as Verdict["kind"],
      knowsClaims: true,
      asked: [] as string[][],
      parts: [] as string[],
      /** Milliseconds for each claim. */
      takes: 0,
      fails: undefined as Error | undefined,
      acts: 0,
    };
    const claims = keepOpenClaims({
      async *judge(logs): AsyncGenerator<Verdict> {
        judge.asked.push(logs.map(({ address, block }) => `${address} ${block}`));
        for (const log of logs) {
          if (judge.takes > 0) passTime(judge.takes);
          const claim = judge.knowsClaims ? { claim: forgedBy(log) } : {};
          yield { kind: judge.verdict, log, ...claim } as Verdict;
        }
        if (judge.fails !== undefined) throw judge.fails;
      },
      consumers: new Set(["named"]),
      used: new Set(areKnown ? ["consumer"] : []),
      findings,
      teller: { notePart: (_range: object, problem: string) => judge.parts.push(problem) } as never,
      act: async () => void judge.acts++,
    });
    return { claims, findings, judge, undone };
  }

  it("hold the position back while the node cannot prove them, and lose nothing that was found before", async () => {
    const { claims, findings, judge, undone } = fixture();
    claims.add([claimAt(5), claimAt(7)], []);
    await claims.settle("known");
    expect([claims.isWaiting("any"), claims.firstBlock()]).to.deep.equal([false, Number.POSITIVE_INFINITY]);
    for (const finding of findings.all()) finding.isTold = true;
    // A reorganization takes both blocks away, and has the claims again. The node lags meanwhile.
    findings.loosen(4);
    judge.verdict = "lagging";
    claims.add([claimAt(7), claimAt(5)], []);
    await claims.settle("known");
    expect([claims.isWaiting("any"), claims.firstBlock()]).to.deep.equal([true, 5]);
    findings.tidy(9, 4);
    expect([undone, findings.all().length]).to.deep.equal([[], 2]);
    judge.verdict = "found";
    await claims.settle("known");
    expect([claims.isWaiting("any"), judge.asked.length, findings.all().length]).to.deep.equal([false, 3, 2]);
  });

  it("are told as judged in part where the node never proved what they are, or their contract took too much time", async () => {
    const { claims, judge } = fixture();
    judge.knowsClaims = false;
    claims.add([claimAt(5)], []);
    judge.verdict = "left-out";
    await claims.settle("known");
    claims.add([claimAt(6)], []);
    judge.verdict = "lagging";
    await claims.settle("known");
    passTime(600_001);
    await claims.settle("known");
    expect(judge.parts).to.deep.equal([
      "These contracts emitted more events than their share of the watch's time.",
      "The node never proved these events.",
    ]);
  });

  it("are given up after ten minutes, as found", async () => {
    const { claims, findings, judge } = fixture();
    judge.verdict = "lagging";
    claims.add([claimAt(5)], []);
    await claims.settle("known");
    expect(findings.all()).to.deep.equal([]);
    passTime(600_001);
    await claims.settle("known");
    expect([findings.all().length, claims.isWaiting("any")]).to.deep.equal([1, false]);
  });

  it("wait without a limit at consumers that the operator named, and up to two thousand elsewhere", async () => {
    const { claims, judge } = fixture();
    judge.verdict = "lagging";
    judge.knowsClaims = false;
    for (let block = 1; block <= 2_001; block++) claims.add([claimAt(block), claimAt(block, "named")], []);
    for (const group of ["named", "known", "named", "known"] as const) await claims.settle(group);
    expect(judge.asked.map((asked) => asked.length)).to.deep.equal([2_001, 2_001, 2_001, 2_000]);
    expect(judge.parts).to.deep.equal([
      "These contracts emitted more events than their share of the watch's time.",
    ]);
  });

  it("are given up early at contracts that the operator did not name: old ones as found, the others until a next watch", async () => {
    const { claims, findings, judge } = fixture();
    judge.verdict = "lagging";
    const at = (block: number, timestamp: number) => ({ hash: word(String(block)), timestamp }) as Header;
    claims.add([claimAt(5), claimAt(6, "named"), claimAt(7)], [at(5, 1_000), at(6, 1_000), at(7, 1_900)]);
    for (const group of ["named", "known"] as const) await claims.settle(group);
    expect([claims.isWaiting("named"), findings.all(), judge.parts]).to.deep.equal([true, [], []]);
    await claims.giveUp(at(8, 2_000));
    expect(findings.all().map(({ block }) => block)).to.deep.equal([5]);
    expect(judge.parts).to.deep.equal(["The node does not prove these events."]);
    expect([claims.isWaiting("named"), claims.firstBlock()]).to.deep.equal([true, 6]);
    judge.verdict = "found";
    for (const group of ["named", "known"] as const) await claims.settle(group);
    expect(findings.all().map(({ block }) => block)).to.deep.equal([5, 6, 7]);
  });

  it("are judged by group: at consumers that the operator named, that have signatures, and that nobody knows", async () => {
    const { claims, judge } = fixture();
    claims.add([claimAt(5), claimAt(6, "named"), claimAt(7, "stranger"), claimAt(8, "named")], []);
    for (const group of groups) await claims.settle(group);
    expect(judge.asked).to.deep.equal([["named 6", "named 8"], ["consumer 5"], ["stranger 7"]]);
  });

  it("are at most two thousand of contracts that nobody knows, the first ones", async () => {
    const { claims, judge } = fixture(false);
    Object.assign(judge, { verdict: "lagging", knowsClaims: false });
    claims.add(
      Array.from({ length: 2_001 }, (_, i) => claimAt(i)),
      [],
    );
    for (const _look of [1, 2]) await claims.settle("unknown");
    expect(judge.asked.map((asked) => [asked.length, asked.at(-1)])).to.deep.equal([
      [2_001, "consumer 2000"],
      [2_000, "consumer 1999"],
    ]);
    expect(judge.parts).to.have.length(1);
  });

  it("are acted on four times a second while many are judged, and at their end", async () => {
    const { claims, judge } = fixture();
    judge.takes = 100;
    claims.add(
      [5, 6, 7, 8, 9].map((block) => claimAt(block)),
      [],
    );
    await claims.settle("known");
    expect(judge.acts, "at once, after 300 ms, and at the end").to.equal(3);
  });

  it("are acted on before it fails, and wait where an unknown contract fails the node", async () => {
    for (const areKnown of [true, false]) {
      const { claims, judge, findings } = fixture(areKnown);
      judge.fails = new ChainUnavailableError("The node did not answer in 20 s.");
      claims.add([claimAt(5), claimAt(6)], []);
      const settled = claims.settle(areKnown ? "known" : "unknown");
      if (areKnown) expect(await rejection(settled)).to.equal(judge.fails);
      else await settled;
      expect([findings.all().length, judge.acts, claims.isWaiting("any")]).to.deep.equal([2, 2, true]);
    }
  });

  it("are events of one kind, with a round and an identity", async () => {
    const { claims, judge } = fixture();
    const { topics, ...claim } = claimAt(5);
    const others = [[word("2"), ...topics.slice(1)], topics.slice(0, 2), topics.concat(word("3"))];
    claims.add(
      others.map((each) => ({ ...claim, topics: each })),
      [],
    );
    await claims.settle("known");
    expect(judge.asked).to.deep.equal([]);
  });

  it("are none of the blocks that a reorganization took away", async () => {
    const { claims, judge } = fixture();
    claims.add([claimAt(5), claimAt(6), claimAt(7)], []);
    claims.dropAfter(6);
    await claims.settle("known");
    expect(judge.asked).to.deep.equal([["consumer 5", "consumer 6"]]);
  });
});
