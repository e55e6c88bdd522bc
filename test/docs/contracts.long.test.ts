import { expect } from "chai";
import { readSnippetFile } from "../fixtures/markdown.ts";
import { freshProject, solcPath } from "../fixtures/packages/freshProject.ts";

const guide = "docs/contracts.md";

describe("The guide to the contracts, for somebody else", () => {
  it("has consumers and a test that run in a project of theirs", async () => {
    const project = freshProject();
    project.write(
      "hardhat.config.ts",
      `export default { solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} } };`,
    );
    for (const name of ["Workshop.sol", "Lounge.sol", "Workshop.t.sol"]) {
      project.write(`contracts/${name}`, readSnippetFile(guide, `contracts/${name}`));
    }
    const { code, stdout, stderr } = await project.hardhat(["test", "solidity"]);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/✔ test_register_GivesOnePersonOneSeat/);
  }).timeout(300_000);
});
