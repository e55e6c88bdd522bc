import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatUserConfig } from "hardhat/types/config";
import { defaultSettings } from "../../wallet/index.ts";
import { cleanEnvironment, root, runHardhat } from "../fixtures/hardhat.ts";
import { serveLocalChain } from "../fixtures/localChain.ts";
import { readSnippetFile } from "../fixtures/markdown.ts";
import { post } from "../fixtures/walletClients.ts";

const guide = "docs/wallet.md";
// Inside the repository, for the snippets import packages.
const folder = join(root, "cache/guide");

describe("The guide to the wallet", () => {
  let node: Awaited<ReturnType<typeof serveLocalChain>>;
  before(async () => {
    node = await serveLocalChain();
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function write(name: string, text: string): Promise<string> {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  }

  it("shows tests that pass", async () => {
    const files = await Promise.all(
      ["test/batch.ts", "test/failures.ts"].map((name) => write(name, readSnippetFile(guide, name))),
    );
    const { stdout, stderr } = await runHardhat(["test", "mocha", "--no-compile", ...files]);
    expect(stdout + stderr)
      .to.match(/✔ mints, approves and deposits at once/)
      .and.to.match(/✔ can be provoked/);
  });

  it("shows a configuration that works", async () => {
    const text = readSnippetFile(guide, "hardhat.config.ts").replace(
      `"hardhat-identity"`,
      `"../../tasks/index.ts"`,
    );
    const config: { default: HardhatUserConfig } = await import(await write("hardhat.config.ts", text));
    const hre = await createHardhatRuntimeEnvironment(config.default);
    const { wallet } = (await hre.network.create("identityLocal")).identity;
    expect(wallet.acceptMissingValue).to.equal(true);
  });

  it("shows an app that works", async () => {
    const configure = {
      jsonrpc: "2.0",
      id: 1,
      method: "identity_configureWallet",
      params: [{ acceptMissingValue: true }],
    };
    await post(node.rpcUrl, configure);
    const text = readSnippetFile(guide, "app.ts").replace("http://127.0.0.1:8545", node.rpcUrl);
    const { stdout } = await promisify(execFile)(process.execPath, [await write("app.ts", text)], {
      env: cleanEnvironment(),
    });
    expect(stdout).to.equal("success 1\n");
  });

  it("lists every setting with its default", () => {
    const rows = readFileSync(join(root, guide), "utf8").matchAll(/^\| +`(\w+)` +\| +`([^`]+)` +\|/gm);
    const listed = [...rows].map(([, name, value = ""]) => [name, JSON.parse(value)]);
    expect(Object.fromEntries(listed)).to.deep.equal(defaultSettings);
  });
});
