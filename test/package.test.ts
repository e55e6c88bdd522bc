import { expect } from "chai";
import { freshProject, solcPath } from "./fixtures/freshProject.ts";
import { readSnippetFile } from "./fixtures/markdown.ts";

describe("The npm package", () => {
  it("serves the README's first consumer, and the wallet's every refusal, in a fresh project", async () => {
    const project = freshProject();
    project.write(
      "hardhat.config.ts",
      `import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

export default defineConfig({
  plugins: [toolbox, hardhatIdentity],
  solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} },
});
`,
    );
    for (const file of ["contracts/Airdrop.sol", "test/Airdrop.ts"])
      project.write(file, readSnippetFile("README.md", file));
    project.write("test/failures.ts", readSnippetFile("docs/wallet.md", "test/failures.ts"));

    const { stdout, stderr } = await project.hardhat(["test"]);
    expect(stdout + stderr).to.match(/✔ lets one person claim once/);
    expect(stdout + stderr).to.match(/✔ can be provoked/);
  }).timeout(300_000);
});
