import { expect } from "chai";
import { readSnippetFile } from "../fixtures/markdown.ts";

describe("The guides", () => {
  it("shows the README's contract and configuration in the guides", () => {
    for (const [page, file] of [
      ["docs/contracts.md", "contracts/Airdrop.sol"],
      ["docs/getting-started.md", "hardhat.config.ts"],
    ] as const) {
      expect(readSnippetFile(page, file)).to.equal(readSnippetFile("README.md", file));
    }
  });
});
