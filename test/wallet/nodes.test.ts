import { expect } from "chai";
import { JsonRpcProvider } from "ethers";
import { artifacts, network } from "hardhat";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { EdrNetworkConfigOverride } from "hardhat/types/config";
import type { ChainType } from "hardhat/types/network";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { createWallet } from "../../packages/wallet/index.ts";
import { changeNode } from "../fixtures/chain/changeNode.ts";
import { deploy, serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { batchesOf, expectRefusal, walletFixture } from "../fixtures/wallet/wallet.ts";
import { post } from "../fixtures/wallet/walletClients.ts";

describe("The wallet on a simulated network", () => {
  const kinds: [what: string, chainType: ChainType, override: EdrNetworkConfigOverride][] = [
    ["of chain type op", "op", {}],
    ["of chain type l1", "l1", {}],
    ["of chain type generic", "generic", {}],
    ["with a fixed gas price", "op", { gasPrice: 10_000_000_000 }],
    ["with a fixed gas limit", "op", { gas: 1_000_000 }],
    ["with a gas cap for transactions", "l1", { transactionGasCap: 2 ** 24 }],
    ["that does not report reverts as errors", "op", { throwOnTransactionFailures: false }],
    ["with a sender of its own", "op", { from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }],
  ];
  for (const [what, chainType, override] of kinds) {
    it(`executes a batch, or leaves nothing behind, on one ${what}`, async () => {
      const { provider: node, ethers } = await network.create({
        network: "default",
        chainType,
        override: { chainId: 84532, ...override },
      });
      const recorder = await ethers.deployContract("Recorder");
      const [, , account] = await ethers.getSigners();
      const { send } = batchesOf(node, account?.address ?? "");
      const to = await recorder.getAddress();
      const record = { to, value: "0x1", data: recorder.interface.encodeFunctionData("record") };
      const fail = { to, value: "0x0", data: recorder.interface.encodeFunctionData("fail") };
      expect(await send([record, record])).to.include({ status: 200, atomic: true });
      const limited = { ...fail, capabilities: { gasLimitOverride: { value: "0x186a0" } } };
      for (const failing of [fail, limited])
        expect(await send([record, failing])).to.include({ status: 500, atomic: true });
      expect(await recorder.count()).to.equal(2);
    });
  }

  it("has no EIP-7702 before Prague: 5710, or call by call if atomicity is optional", async () => {
    const { batches, call, node, alice } = await walletFixture({ hardfork: "holocene" });
    const calls = [call("record"), call("record")];
    await expectRefusal(batches.submit(calls), 5710, "0x14a34");
    expect(await batches.send(calls, { atomicRequired: false })).to.include({
      status: 200,
      atomic: false,
    });
    const capabilities = await node.request({
      method: "wallet_getCapabilities",
      params: [alice.address],
    });
    expect(capabilities).to.deep.include({ "0x14a34": { atomic: { status: "unsupported" } } });
  });

  it("keeps batches and settings of two connections apart", async () => {
    const one = await walletFixture();
    const other = await walletFixture();
    const { id } = await one.batches.submit([one.call("record")], { id: "0x1" });
    await expectRefusal(other.batches.status(id), 5730);
    one.wallet.maxCalls = 0;
    expect(await other.batches.send([other.call("record")], { id: "0x1" })).to.include({ status: 200 });
  });

  it("is missing on a network that is not simulated, and names those that have it", async () => {
    const { identity } = await network.create({
      network: "localhost",
      override: { url: "http://127.0.0.1:1" },
    });
    expect(() => identity.wallet).to.throw("identity_configureWallet");
  });

  it("accepts the next batch, even of the same id, after the node broke one off", async () => {
    const { node: chain, call, alice } = await walletFixture();
    let isDown = true;
    const node = changeNode(chain, ({ method }) =>
      isDown && method === "eth_getTransactionCount"
        ? { error: { code: -32_000, message: "The node is down." } }
        : undefined,
    );
    const { deployedBytecode: executorCode } = await artifacts.readArtifact("BatchExecutor");
    const { submit, send } = batchesOf(createWallet({ node, executorCode }), alice.address);
    const calls = [call("record"), call("record")];
    await expectRefusal(submit(calls, { id: "0x01" }), -32_000, "The node is down.");
    isDown = false;
    expect(await send(calls, { id: "0x01" })).to.include({ status: 200 });
  });

  it("finds a transaction that failed though other blocks follow before it looks", async () => {
    const { node: chain, call, alice } = await walletFixture();
    const node: Eip1193Connection = {
      async request(asked) {
        try {
          return await chain.request(asked);
        } catch (error) {
          if (asked.method === "eth_sendTransaction")
            await chain.request({ method: "hardhat_mine", params: ["0x2"] });
          throw error;
        }
      },
    };
    const { send } = batchesOf(createWallet({ node }), alice.address);
    const { status, receipts } = await send([call("fail")], { atomicRequired: false });
    expect([status, receipts.length]).to.deep.equal([500, 1]);
  });

  it("leaves other requests to the node", async () => {
    const { node } = await walletFixture();
    await expectRefusal(
      node.request({ method: "wallet_watchAsset", params: [] }),
      -32004,
      "wallet_watchAsset",
    );
  });
});

describe("The wallet on a fork", () => {
  // Behind a proxy, which closes connections that a fork leaves open: the node itself would wait for them.
  let upstream: Awaited<ReturnType<typeof serveProxy>>;
  before(async () => {
    upstream = await serveProxy((await serveLocalChain()).rpcUrl);
  });

  it("executes batches on the fork, and knows none of upstream", async () => {
    const ask = (method: string, ...params: unknown[]) =>
      post(upstream.url, { jsonrpc: "2.0", id: 1, method, params }) as Promise<{ result: unknown }>;
    const { batches, call, recorder, alice } = await walletFixture({ forking: { url: upstream.url } });
    expect(await batches.send([call("record"), call("record")])).to.include({ status: 200, atomic: true });
    expect(await batches.send([call("record"), call("fail")])).to.include({ status: 500, atomic: true });
    expect(await recorder.count()).to.equal(2);
    expect((await ask("eth_getCode", alice.address, "latest")).result).to.equal("0x");

    // An account that delegates upstream is one without code on the fork: Hardhat clears its own accounts there.
    const request = batches.complete([], { id: "0x1" });
    expect((await ask("wallet_sendCalls", request)).result).to.include({ batchId: "0x1" });
    const later = await walletFixture({ forking: { url: upstream.url } });
    await expectRefusal(later.batches.status("0x1"), 5730);
    expect(await later.batches.send([], { id: "0x1" })).to.include({ status: 200, atomic: true });
  });
});

describe("A wallet that is made over HTTP, of a node that has none", () => {
  async function fixture() {
    const plain = await createHardhatRuntimeEnvironment({
      networks: { chain: { type: "edr-simulated", chainType: "op", chainId: 84532 } },
    });
    const server = await plain.network.createServer("chain", "127.0.0.1", 0);
    const { address, port } = await server.listen();
    const client = new JsonRpcProvider(`http://${address}:${port}`, 84532, {
      staticNetwork: true,
      cacheTimeout: -1,
    });
    const request = async ({ method, params }: { method: string; params?: unknown }) =>
      client.send(method, params as unknown[]);
    const { deployedBytecode } = await artifacts.readArtifact("BatchExecutor");
    const recorder = await deploy(await client.getSigner(0), "Recorder");
    const call = (name: string) => ({
      to: String(recorder.target),
      value: "0x0",
      data: recorder.interface.encodeFunctionData(name, []),
    });
    const wallet = createWallet({ node: { request }, executorCode: deployedBytecode });
    const { address: account } = await client.getSigner(1);
    onCleanup(async () => {
      client.destroy();
      await server.close();
    });
    return { batches: batchesOf(wallet, account), call, count: () => recorder.getFunction("count")() };
  }

  it("executes batches, and returns receipts of failed ones", async () => {
    const { batches, call, count } = await fixture();
    expect(await batches.send([call("record")])).to.include({ status: 200, atomic: true });
    const { status, receipts } = await batches.send([call("record"), call("fail")]);
    expect(status).to.equal(500);
    expect(receipts).to.have.length(1);
    expect(await count()).to.equal(1n);
  });
});
