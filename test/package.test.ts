import { readFileSync } from "node:fs";
import { expect } from "chai";
import { freshProject, solcPath } from "./fixtures/freshProject.ts";
import { readSnippetFile } from "./fixtures/markdown.ts";

const guide = "docs/wallet.md";

describe("The npm package", () => {
  it("serves the README's first consumer, and the wallet's guide, in a fresh project", async () => {
    const project = freshProject();
    const [npmFiles] = /npmFilesToBuild: \[[^\]]+\]/.exec(readFileSync(guide, "utf8")) ?? [];
    project.write(
      "hardhat.config.ts",
      `import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

export default defineConfig({
  plugins: [toolbox, hardhatIdentity],
  solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)}, ${npmFiles} },
});
`,
    );
    for (const file of ["contracts/Airdrop.sol", "test/Airdrop.ts"])
      project.write(file, readSnippetFile("README.md", file));
    for (const file of ["test/batch.ts", "test/failures.ts"])
      project.write(file, readSnippetFile(guide, file));

    const { stdout, stderr } = await project.hardhat(["test"]);
    expect(stdout + stderr)
      .to.match(/✔ lets one person claim once/)
      .and.match(/✔ mints, approves and deposits at once/)
      .and.match(/✔ can be provoked/);
  }).timeout(300_000);
});
