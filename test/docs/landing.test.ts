import { expect } from "chai";
import { readSnippetFile } from "../fixtures/markdown.ts";

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
