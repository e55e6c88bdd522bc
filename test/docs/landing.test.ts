import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readSnippetFile } from "../fixtures/markdown.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import gas from "../vectors/gas.json" with { type: "json" };

const read = (file: string) => readFileSync(join(root, file), "utf8");
const page = read("docs/index.md");

const toNumber = (text = "") => Number(text.replaceAll(",", ""));

/** How many tests are written down; those in a loop count once. */
function countTests(): number {
  const count = (pattern: string, test: RegExp) =>
    globSync(pattern, { cwd: root }).flatMap((file) => read(file).match(test) ?? []).length;
  return (
    count("test/**/*.test.ts", /^\s*it\(/gm) + count("test/**/*.t.sol", /^ +function (?:test|invariant)/gm)
  );
}

describe("The guides", () => {
  it("show the README's contract and configuration, which run", () => {
    for (const [page, file] of [
      ["docs/contracts.md", "contracts/Airdrop.sol"],
      ["docs/getting-started.md", "hardhat.config.ts"],
    ] as const) {
      expect(readSnippetFile(page, file)).to.equal(readSnippetFile("README.md", file));
    }
  });
});

describe("The landing page", () => {
  it("tells numbers that are measured", () => {
    const [, told] = /\*\*([\d,]+) gas\*\*/.exec(page) ?? [];
    expect(toNumber(told)).to.equal(gas["MinimalConsumer1.enroll"]);
    const [rate = ""] = /\*\*[\d,]+ to [\d,]+\*\* requests a second/.exec(page) ?? [];
    expect(rate).not.to.equal("");
    expect(read("README.md")).to.include(rate);
    const [, tests] = /\*\*Over ([\d,]+)\*\* tests/.exec(page) ?? [];
    expect(countTests())
      .to.be.above(toNumber(tests))
      .and.below(2 * toNumber(tests));
  });
});
