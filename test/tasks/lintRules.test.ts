import { expect } from "chai";
import { judgeCutoff, judgeSilence } from "../../tasks/internal/lint/cutoffRules.ts";
import { describeReport } from "../../tasks/internal/lint/describe.ts";
import { judgePace } from "../../tasks/internal/lint/paceRule.ts";
import type { Finding } from "../../tasks/internal/lint/rules.ts";

describe("A cutoff", () => {
  // In seconds; and in blocks of 2 s, of 200 ms, and of the L1's 12 s.
  const year = 31_536_000;
  const [day, fastDay, l1Day, l1Year] = [43_200n, 432_000n, 7_200n, 2_628_000n];
  const [block, l1Block] = [44_000_000n, 10_000_000n];
  const chain = { chainId: 84532, block, blockSeconds: 2, l1Block, l1BlockAge: year + 1 };
  const fast = { ...chain, blockSeconds: 0.2 };
  const late = { ...fast, block: 2_000_000_000n };

  for (const [what, cutoff, on, rule] of [
    ["none at all", 0n, chain, undefined],
    ["the head of its chain", block, chain, undefined],
    ["a day ahead of it", block + day, chain, undefined],
    ["more than a day ahead of it", block + day + 1n, chain, "cutoff-beyond-head"],
    ["a day ahead of a chain with five blocks a second", block + fastDay, fast, undefined],
    ["more than a day ahead of such a chain", block + fastDay + 1n, fast, "cutoff-beyond-head"],
    ["far ahead, where the chain is not known", block + day + 1n, undefined, undefined],
    ["the largest number of a block", 1_500_000_000n, undefined, undefined],
    ["a time", 1_500_000_001n, undefined, "cutoff-beyond-head"],
    ["a time, on a known chain", 1_790_000_000n, chain, "cutoff-beyond-head"],
    ["a block of a chain that has as many", 1_999_999_999n, late, undefined],
    ["the head of the L1", l1Block, chain, "cutoff-of-another-chain"],
    ["a day ahead of the L1", l1Block + l1Day, chain, "cutoff-of-another-chain"],
    ["more than a day ahead of the L1", l1Block + l1Day + 1n, chain, undefined],
    ["a year behind the L1", l1Block - l1Year, chain, "cutoff-of-another-chain"],
    ["more than a year behind the L1", l1Block - l1Year - 1n, chain, undefined],
    ["close to the head of an L1 that is not there", l1Block, { ...chain, l1Block: undefined }, undefined],
    [
      "close to the L1, and on its own chain at most a year old",
      l1Block,
      { ...chain, l1BlockAge: year },
      undefined,
    ],
    [
      "close to the L1 and millions of blocks old, on a chain that made them in months",
      l1Block,
      { ...fast, l1BlockAge: year / 5 },
      undefined,
    ],
    [
      "close to an L1 that is ahead",
      block,
      { ...chain, l1Block: block + 1n, l1BlockAge: undefined },
      undefined,
    ],
    ["none at all, on a chain whose L1 is young", 0n, { ...chain, l1Block: 5n }, undefined],
  ] as const) {
    it(`${rule === undefined ? "is accepted" : "is reported"}: ${what}`, () => {
      expect(judgeCutoff(cutoff, on)?.rule).to.equal(rule);
    });
  }

  it("is explained with the blocks of its chain and the L1", () => {
    const said = [1_500_000_001n, 44_043_201n, l1Block].map((cutoff) => judgeCutoff(cutoff, chain)?.message);
    expect(said).to.deep.equal([
      "cutoffBlock() is 1500000001, so nobody is ever admitted; it must be a block's number, not a time.",
      "cutoffBlock() is 44043201, but chain 84532 is at block 44000000: nobody is admitted before it gets there. " +
        "Give a block of that chain, not one of its L1 or of another chain.",
      "cutoffBlock() is 10000000, close to block 10000000 of the L1 and years behind block 44000000 of chain 84532: " +
        "give a block of that chain itself.",
    ]);
  });
});

describe("A getter of the cutoff that reverts", () => {
  it("is told from none by its silence alone", () => {
    const silent = { hasCode: true, success: false, exhausted: false, size: 0, data: "0x" };
    expect(judgeSilence(silent)).to.equal(
      "cutoffBlock() reverts without data, which counts as 0: nobody's credential is too old. Return a block, or 0.",
    );
    for (const other of [{ success: true }, { exhausted: true }, { size: 4 }]) {
      expect(judgeSilence({ ...silent, ...other }), JSON.stringify(other)).to.equal(undefined);
    }
  });
});

describe("A pace", () => {
  const answer = (...words: bigint[]) =>
    `0x${words.map((word) => word.toString(16).padStart(64, "0")).join("")}`;
  const year = 31_536_000n;

  it("is explained if it admits nobody, bounds nothing, or closes the contract for too long", () => {
    for (const [most, window, why] of [
      [0n, 60n, "it admits nobody. Return how many people it admits in each window."],
      [1n, 0n, "every claim reverts with PaceWithoutWindow(). Return the window in seconds."],
      [1n << 32n, 60n, "it admits more people than there will be, so it bounds nothing."],
      [
        1n,
        year + 1n,
        "once a window is used up, the contract admits nobody for more than a year. Is it in seconds?",
      ],
      [1n, 59n, "a window under a minute is too short for anybody to react."],
    ] as const) {
      expect(judgePace(answer(most, window))).to.equal(`pace() returns (${most}, ${window}): ${why}`);
    }
    for (const sound of [answer(1n, 60n), answer((1n << 32n) - 1n, year), answer(0n), "failed"]) {
      expect(judgePace(sound), sound).to.equal(undefined);
    }
  });
});

describe("The report of the consumers' check", () => {
  const place = { file: "contracts/a,b:c%.sol", line: 7 };
  const message = "50 % of it,\r\nall: wrong.";
  const finding: Finding = {
    rule: "no-condition",
    severity: "error",
    message,
    page: "https://a",
    contract: "Drop",
    ...place,
  };

  it("has each finding, and counts errors and warnings in singular and plural", () => {
    const warning: Finding = { ...finding, severity: "warning" };
    const one = { ...place, name: "Drop" };
    const report = (consumers: number, ...findings: Finding[]) =>
      describeReport({ consumers: Array.from({ length: consumers }, () => one), findings });
    const page = "https://github.com/hardhat-identity/hardhat-identity/blob/main/docs/linting.md";
    expect(report(1)).to.equal("1 consumer checked: no problems found.");
    const told = (severity: string) =>
      `contracts/a,b:c%.sol:7  ${severity}  no-condition\n  Drop: ${message}\n\n`;
    expect(report(2, finding)).to.equal(
      `${told("error")}2 consumers checked: 1 error, 0 warnings. Each rule is explained on ${page}`,
    );
    expect(report(1, warning, warning, finding, finding)).to.include(
      `${told("warning").repeat(2)}${told("error").repeat(2)}1 consumer checked: 2 errors, 2 warnings. `,
    );
    const unread = { ...one, unread: "Nobody knows." };
    expect(describeReport({ consumers: [unread, one], findings: [] })).to.equal(
      "1 consumer checked, 1 not read: no problems found.",
    );
  });
});
