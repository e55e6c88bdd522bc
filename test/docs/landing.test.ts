import { expect } from "chai";
import { readSnippetFile } from "../fixtures/markdown.ts";

describe("The guides", () => {
  it("show one configuration, in the README and on the page for beginners", () => {
    const file = "hardhat.config.ts";
    expect(readSnippetFile("docs/getting-started.md", file)).to.equal(readSnippetFile("README.md", file));
  });
});
