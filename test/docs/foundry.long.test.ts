import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { readSnippetFile } from "../fixtures/markdown.ts";
import { compile, loadCompiler } from "../fixtures/packages/compile.ts";
import { runForge, solcCommand } from "../fixtures/packages/forge.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const guide = "docs/foundry.md";
const root = fileURLToPath(new URL("../../", import.meta.url));
const text = readFileSync(join(root, guide), "utf8");

const files = {
  "src/Airdrop.sol": readSnippetFile("README.md", "contracts/Airdrop.sol"),
  "test/Airdrop.t.sol": readSnippetFile(guide, "test/Airdrop.t.sol"),
  "test/AirdropFuzz.t.sol": readSnippetFile(guide, "test/AirdropFuzz.t.sol"),
};

/** The ways of installing that the guide shows: what stands in `remappings.txt`. */
const remappings = [...text.matchAll(/^```\n((?:@\S+\n)+)```$/gm)].map(([, lines = ""]) =>
  lines.trim().split("\n"),
);

/** The folders of each kind of installation. */
const folders = (openZeppelin: string) => ({
  "lib/hardhat-identity/": root,
  "lib/openzeppelin-contracts/contracts/": join(root, "node_modules", openZeppelin),
  "node_modules/@hardhat-identity/contracts/": join(root, "contracts"),
  "node_modules/@openzeppelin/contracts/": join(root, "node_modules", openZeppelin),
});

describe("The guide to Solidity tests", () => {
  it("has remappings for Foundry's packages and for npm's, which compile with the oldest of all and the newest", () => {
    expect(remappings.map(([first = ""]) => first.split("/=")[1]?.split("/")[0])).to.deep.equal([
      "lib",
      "node_modules",
    ]);
    const compilers = [
      ["solc-0.8.20", "openzeppelin-contracts-5.1"],
      ["solc", "@openzeppelin/contracts"],
    ] as const;
    for (const [i, [compiler, openZeppelin]] of compilers.entries()) {
      const messages = compile(loadCompiler(compiler), {
        files,
        remappings: remappings[i] ?? [],
        folders: folders(openZeppelin),
      });
      // As Foundry does, nothing is said of the size of a test.
      const ours = messages.filter(
        ({ sourceLocation, errorCode }) =>
          !sourceLocation?.file.includes("openzeppelin") &&
          !(sourceLocation?.file.startsWith("test/") && errorCode === "5574"),
      );
      expect(ours.map(({ formattedMessage }) => formattedMessage)).to.deep.equal([]);
    }
  }).timeout(60_000);

  it("has a configuration with which Hardhat lints the sources in Foundry's folders and runs the test, with either remappings", async () => {
    const config = readSnippetFile(guide, "hardhat.config.ts");
    for (const lines of remappings) {
      const project = freshProject();
      for (const [file, content] of Object.entries(files)) project.write(file, content);
      project.write("remappings.txt", lines.join("\n"));
      const compiler = `{ version: "0.8.37", path: ${JSON.stringify(solcPath)} }`;
      project.write("hardhat.config.ts", config.replace('"0.8.37"', compiler));
      mkdirSync(join(project.folder, "lib/hardhat-identity"), { recursive: true });
      mkdirSync(join(project.folder, "lib/openzeppelin-contracts"));
      symlinkSync(join(root, "contracts"), join(project.folder, "lib/hardhat-identity/contracts"));
      symlinkSync(
        join(root, "node_modules/@openzeppelin/contracts"),
        join(project.folder, "lib/openzeppelin-contracts/contracts"),
      );
      const { code, stdout, stderr } = await project.hardhat(["identity", "policy"]);
      expect(code, stdout + stderr).to.equal(0);
      expect(stdout).to.include("1 consumer checked");
      const tested = await project.hardhat(["test", "solidity"]);
      expect(tested.code, tested.stdout + tested.stderr).to.equal(0);
      expect(tested.stdout).to.match(/✔ testFuzz_claim_AdmitsAPersonOnce/);
      expect(tested.stdout).to.match(/✔ test_claim_RefusesASecondWallet\(/);
    }
  }).timeout(300_000);

  it("has a consumer and tests that pass with forge", async function () {
    const folder = await temporaryFolder();
    const write = (file: string, content: string, mode = 0o644) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), content, { mode });
    };
    for (const [file, content] of Object.entries(files)) write(file, content);
    write("remappings.txt", (remappings[0] ?? []).join("\n"));
    write("solc", solcCommand, 0o755);
    write("foundry.toml", '[profile.default]\nsolc = "./solc"\noffline = true\n[fuzz]\nseed = "0x1"\n');
    mkdirSync(join(folder, "lib/hardhat-identity"), { recursive: true });
    mkdirSync(join(folder, "lib/openzeppelin-contracts"));
    symlinkSync(join(root, "contracts"), join(folder, "lib/hardhat-identity/contracts"));
    symlinkSync(
      join(root, "node_modules/@openzeppelin/contracts"),
      join(folder, "lib/openzeppelin-contracts/contracts"),
    );
    const { status, stdout, stderr } = runForge(this, ["test"], folder);
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/\b11 tests passed, 0 failed, 0 skipped/);
  }).timeout(120_000);
});
