import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatUserConfig } from "hardhat/types/config";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { readSnippetFile } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { cleanEnvironment } from "../fixtures/tasks/hardhat.ts";

const guide = "docs/wallet.md";

/** An app whose viem knows nothing of the local chain. */
const app = (rpcUrl: string) => `import { createWalletClient, http } from "viem";
import { baseSepolia } from "viem/chains";

const client = createWalletClient({
  chain: baseSepolia,
  transport: http(${JSON.stringify(rpcUrl)}),
});
const [account, recipient] = await client.getAddresses();
const { id } = await client.sendCalls({
  account,
  forceAtomic: true,
  calls: [{ to: recipient, value: 1n }, { to: recipient }],
});
const { status, receipts } = await client.waitForCallsStatus({ id });
console.log(status, receipts.length); // success 1
`;

describe("The guide to the wallet, for somebody else", function () {
  this.timeout(120_000);
  let node: Awaited<ReturnType<typeof serveLocalChain>>;
  before(async () => {
    node = await serveLocalChain();
  });

  it("shows a configuration that works", async () => {
    const project = freshProject();
    project.write("hardhat.config.ts", readSnippetFile(guide, "hardhat.config.ts"));
    const config: { default: HardhatUserConfig } = await import(join(project.folder, "hardhat.config.ts"));
    const hre = await createHardhatRuntimeEnvironment(config.default);
    const { wallet } = (await hre.network.create("identityLocal")).identity;
    expect(wallet.acceptMissingValue).to.equal(false);
  });

  it("describes a wallet that takes batches of an unmodified viem", async () => {
    const project = freshProject();
    project.write("app.ts", app(node.rpcUrl));
    const { stdout } = await promisify(execFile)(process.execPath, ["app.ts"], {
      cwd: project.folder,
      env: cleanEnvironment(),
    });
    expect(stdout).to.equal("success 1\n");
  });
});
