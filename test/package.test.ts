import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { cleanEnvironment, root, runHardhat } from "./fixtures/hardhat.ts";
import { readSnippetFile } from "./fixtures/markdown.ts";

describe("The npm package", () => {
  let project: string;

  /** Packs this repository, and unpacks it as a dependency of an empty project beside Hardhat and its toolbox. */
  before(() => {
    project = mkdtempSync(join(tmpdir(), "hardhat-identity-package-"));
    execFileSync("node", ["scripts/build.ts"], { cwd: root, env: cleanEnvironment() });
    const packed = execFileSync(
      "npm",
      ["pack", "--ignore-scripts", "--json", "--pack-destination", project],
      {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    const [{ filename }] = JSON.parse(packed);
    const modules = join(project, "node_modules");
    for (const name of readdirSync(join(root, "node_modules"))) {
      mkdirSync(modules, { recursive: true });
      if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name));
    }
    mkdirSync(join(modules, "hardhat-identity"));
    execFileSync("tar", ["-xzf", filename, "--strip-components=1", "-C", "node_modules/hardhat-identity"], {
      cwd: project,
    });
  });

  after(() => rmSync(project, { recursive: true, force: true }));

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), text);
  }

  it("serves the README's first consumer, and the wallet's every refusal, in a fresh project", async () => {
    write("package.json", JSON.stringify({ name: "fresh", type: "module", private: true }));
    write(
      "hardhat.config.ts",
      `import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

export default defineConfig({
  plugins: [toolbox, hardhatIdentity],
  solidity: { version: "0.8.37", path: ${JSON.stringify(createRequire(import.meta.url).resolve("solc/soljson.js"))} },
});
`,
    );
    for (const file of ["contracts/Airdrop.sol", "test/Airdrop.ts"])
      write(file, readSnippetFile("README.md", file));
    write("test/failures.ts", readSnippetFile("docs/wallet.md", "test/failures.ts"));

    const { stdout, stderr } = await runHardhat(["test"], { cwd: project });
    expect(stdout + stderr).to.match(/✔ lets one person claim once/);
    expect(stdout + stderr).to.match(/✔ can be provoked/);
  });
});
