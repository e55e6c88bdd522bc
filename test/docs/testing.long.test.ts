import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { readSnippetFile, readTab } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { untoldTests } from "../fixtures/tasks/untoldTests.ts";

const walletExample = readFileSync(join(root, "examples/wallet/batch.ts"), "utf8");
const tsc = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");

describe("The guides to testing, and README", () => {
  for (const [toolbox, name, plugin] of [
    ["ethers", "hardhat-toolbox-mocha-ethers", "toolbox"],
    ["viem", "hardhat-toolbox-viem", "toolbox"],
  ] as const) {
    it(`has tests that run, and that TypeScript understands, in a project of somebody else's with ${toolbox}`, async () => {
      const project = freshProject();
      const [npmFiles] = /npmFilesToBuild: \[[^\]]+\]/.exec(walletExample) ?? [];
      project.write(
        "hardhat.config.ts",
        `import ${plugin} from "@nomicfoundation/${name}";
import { defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

export default defineConfig({
  plugins: [${plugin}, hardhatIdentity],
  solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)}, ${npmFiles} },
});
`,
      );
      project.write("contracts/Airdrop.sol", readSnippetFile("README.md", "contracts/Airdrop.sol"));
      project.write("test/guide.ts", readTab("docs/testing.md", toolbox) + untoldTests[toolbox]);
      // The README and the guide to the wallet have tests for ethers alone.
      const isEthers = toolbox === "ethers";
      if (isEthers) {
        project.write("test/Airdrop.ts", readSnippetFile("README.md", "test/Airdrop.ts"));
        project.write("test/batch.ts", walletExample);
        const failures = readFileSync(join(root, "examples/wallet/failures.ts"), "utf8");
        project.write("test/failures.ts", failures);
      }
      const { code, stdout, stderr } = await project.hardhat(["test"]);
      expect(code, stdout + stderr).to.equal(0);
      expect(stdout.match(/✔ /g), stdout).to.have.lengthOf(isEthers ? 11 : 8);
      expect(stdout.includes("✔ can be provoked"), stdout).to.equal(isEthers);

      project.write("tsconfig.json", JSON.stringify(tsconfig(toolbox)));
      const checked = promisify(execFile)(process.execPath, [tsc, "-p", "."], { cwd: project.folder });
      await checked.catch(({ stdout: problems }) => expect.fail(problems));
    }).timeout(300_000);
  }
});

const tsconfig = (toolbox: string) => ({
  compilerOptions: {
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    module: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: toolbox === "ethers" ? ["node", "mocha"] : ["node"],
  },
  include: ["hardhat.config.ts", "test", "types", "artifacts"],
});
