import { expect } from "chai";
import { judgeCutoff } from "../../tasks/internal/lint/cutoffRules.ts";
import { describeReport } from "../../tasks/internal/lint/describe.ts";
import type { Finding } from "../../tasks/internal/lint/rules.ts";

describe("A cutoff", () => {
  const [day, year, l1Year] = [43_200n, 15_768_000n, 2_628_000n];
  const [block, l1Block] = [44_000_000n, 10_000_000n];
  const chain = { chainId: 84532, block, l1Block };

  for (const [what, cutoff, on, rule] of [
    ["none at all", 0n, chain, undefined],
    ["the head of its chain", block, chain, undefined],
    ["a day ahead of it", block + day, chain, undefined],
    ["more than a day ahead of it", block + day + 1n, chain, "cutoff-beyond-head"],
    ["far ahead, where the chain is not known", block + day + 1n, undefined, undefined],
    ["the largest number of a block", 1_000_000_000n, undefined, undefined],
    ["a time", 1_000_000_001n, undefined, "cutoff-beyond-head"],
    ["the head of the L1", l1Block, chain, "cutoff-of-another-chain"],
    ["a day ahead of the L1", l1Block + day, chain, "cutoff-of-another-chain"],
    ["more than a day ahead of the L1", l1Block + day + 1n, chain, undefined],
    ["a year behind the L1", l1Block - l1Year, chain, "cutoff-of-another-chain"],
    ["more than a year behind the L1", l1Block - l1Year - 1n, chain, undefined],
    ["close to the head of an L1 that is not there", l1Block, { ...chain, l1Block: undefined }, undefined],
    ["as close to the L1 as to its own chain", l1Block, { ...chain, block: l1Block + year }, undefined],
    [
      "a block more than a year old, that is close to the L1",
      l1Block,
      { ...chain, block: l1Block + year + 1n },
      "cutoff-of-another-chain",
    ],
    ["none at all, on a chain whose L1 is young", 0n, { ...chain, l1Block: 5n }, undefined],
  ] as const) {
    it(`${rule === undefined ? "is accepted" : "is reported"}: ${what}`, () => {
      expect(judgeCutoff(cutoff, on)?.rule).to.equal(rule);
    });
  }
});

describe("The report of the consumers' check", () => {
  const place = { contract: "Drop", file: "contracts/a,b:c%.sol", line: 7 };
  const finding: Finding = {
    ...{ rule: "no-condition", severity: "error", message: "50 % of it,\r\nall: wrong.", page: "https://a" },
    ...place,
  };

  it("counts errors and warnings in singular and plural", () => {
    const warning: Finding = { ...finding, severity: "warning" };
    const one = { ...place, name: "Drop" };
    const lastLine = (consumers: number, findings: readonly Finding[]) =>
      describeReport({ consumers: Array.from({ length: consumers }, () => one), findings })
        .split("\n")
        .at(-1);
    expect(lastLine(1, [])).to.include("1 consumer checked: no problems found.");
    expect(lastLine(2, [finding])).to.include("2 consumers checked: 1 error, 0 warnings.");
    expect(lastLine(1, [warning, warning, finding, finding])).to.include("2 errors, 2 warnings.");
    const unread = { ...one, unread: "Nobody knows." };
    expect(describeReport({ consumers: [unread, one], findings: [] })).to.include(
      "1 consumer checked, 1 not read: no problems found.",
    );
  });
});
