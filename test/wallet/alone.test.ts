import { expect } from "chai";
import hre, { artifacts } from "hardhat";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import wallet from "../../packages/wallet/index.ts";
import { executorCode } from "../../packages/wallet/internal/executorCode.ts";
import hardhatIdentity from "../../tasks/index.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { skip } from "../fixtures/skip.ts";
import { batchesOf, expectRefusal } from "../fixtures/wallet/wallet.ts";
import { post } from "../fixtures/wallet/walletClients.ts";

describe("A project with the wallet's plugin alone", () => {
  const open = (maxCalls = 2) =>
    createHardhatRuntimeEnvironment({ plugins: [wallet], identity: { wallet: { maxCalls } } });
  const to = `0x${"11".repeat(20)}`;

  it("executes batches on every simulated network, by the settings of its configuration", async () => {
    const project = await open();
    for (const network of Object.keys(project.config.networks).filter((name) => name !== "localhost")) {
      const { provider, identity } = await project.network.create(network);
      const chainId = await provider.request({ method: "eth_chainId" });
      const [, account] = (await provider.request({ method: "eth_accounts" })) as string[];
      const { send, submit } = batchesOf(provider, String(account));
      const calls = [to, to].map((to) => ({ to, value: "0x1" }));
      expect(await send(calls, { chainId }), network).to.include({ status: 200, atomic: true });
      expect(await provider.request({ method: "eth_getBalance", params: [to, "latest"] })).to.equal("0x2");
      await expectRefusal(submit(calls.concat(calls), { chainId }), 5740);
      identity.wallet.rejectNext();
      await expectRefusal(submit(calls, { chainId }), 4001);
      identity.wallet.rejectNext();
      const transaction = { from: account, to, value: "0x1" };
      await expectRefusal(provider.request({ method: "eth_sendTransaction", params: [transaction] }), 4001);
    }
  });

  it("answers apps over HTTP, and is configured by a request", async () => {
    const server = await (await open()).network.createServer("default", "127.0.0.1", 0);
    const { address, port } = await server.listen();
    onCleanup(() => server.close());
    const ask = (method: string, ...params: unknown[]) =>
      post(`http://${address}:${port}`, { jsonrpc: "2.0", id: 1, method, params }) as Promise<{
        result?: unknown;
        error?: { code: number };
      }>;
    const { result: from } = { result: ((await ask("eth_requestAccounts")).result as string[])[0] };
    const { result: chainId } = await ask("eth_chainId");
    const batch = { version: "2.0.0", from, chainId, atomicRequired: true, calls: [{ to, value: "0x1" }] };
    expect((await ask("wallet_sendCalls", batch)).result).to.have.property("id");
    await ask("identity_configureWallet", { maxCalls: 0 });
    expect((await ask("wallet_sendCalls", batch)).error).to.include({ code: 5740 });
  });

  it("has nothing of the plugin hardhat-identity, and all of it when it adds that", async () => {
    const alone = await (await open()).network.create();
    expect(Object.keys(alone.identity)).to.deep.equal(["wallet"]);
    for (const plugins of [
      [wallet, hardhatIdentity],
      [hardhatIdentity, wallet],
    ]) {
      const both = await createHardhatRuntimeEnvironment({ plugins, identity: { wallet: { maxCalls: 7 } } });
      const { identity } = await both.network.create("identityLocal");
      expect(identity).to.include.keys("mint", "attack", "wallet");
      expect(identity.wallet).to.include({ maxCalls: 7 });
      expect(await identity.deployRegistry()).to.have.property("address");
    }
  });

  it("carries the bytecode of contracts/wallet/BatchExecutor.sol", async function () {
    if (hre.globalOptions.coverage) {
      skip(this, "coverage puts its own instructions into what is compiled", "running without --coverage");
    }
    const { deployedBytecode } = await artifacts.readArtifact("BatchExecutor");
    expect(executorCode, "run scripts/write-compiled.ts").to.equal(deployedBytecode);
  });
});
