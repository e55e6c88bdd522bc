import { expect } from "chai";
import { network } from "hardhat";
import type { EdrNetworkConfigOverride } from "hardhat/types/config";
import type { ChainType } from "hardhat/types/network";
import { batchesOf, expectRefusal, walletFixture } from "../fixtures/wallet.ts";

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
      const { provider, ethers } = await network.create({
        network: "default",
        chainType,
        override: { chainId: 84532, ...override },
      });
      const recorder = await ethers.deployContract("Recorder");
      const [, , account] = await ethers.getSigners();
      const { send } = batchesOf(provider, account?.address ?? "");
      const to = await recorder.getAddress();
      const record = { to, value: "0x1", data: recorder.interface.encodeFunctionData("record") };
      const fail = { to, value: "0x0", data: recorder.interface.encodeFunctionData("fail") };
      expect(await send([record, record])).to.include({ status: 200, atomic: true });
      expect(await send([record, fail])).to.include({ status: 500, atomic: true });
      expect(await recorder.count()).to.equal(2);
    });
  }

  it("knows that a hardfork before Prague has no EIP-7702: 5710, and call by call where that will do", async () => {
    const { batches, call, provider, alice } = await walletFixture({ hardfork: "holocene" });
    await expectRefusal(batches.submit([call("record")]), 5710, "0x14a34");
    expect(await batches.send([call("record")], { atomicRequired: false })).to.include({
      status: 200,
      atomic: false,
    });
    const capabilities = await provider.request({
      method: "wallet_getCapabilities",
      params: [alice.address],
    });
    expect(capabilities).to.deep.include({ "0x14a34": { atomic: { status: "unsupported" } } });
  });

  it("keeps batches and settings of one connection apart from those of another", async () => {
    const one = await walletFixture();
    const other = await walletFixture();
    const { id } = await one.batches.submit([one.call("record")], { id: "0x1" });
    await expectRefusal(other.batches.status(id), 5730);
    one.wallet.maxCalls = 0;
    expect(await other.batches.send([other.call("record")], { id: "0x1" })).to.include({ status: 200 });
  });

  it("is not there on a network that is not simulated, and says where it is", async () => {
    const { identity } = await network.create({
      network: "localhost",
      override: { url: "http://127.0.0.1:1" },
    });
    expect(() => identity.wallet).to.throw("identity_configureWallet");
  });

  it("leaves other requests to the node", async () => {
    const { provider } = await walletFixture();
    await expectRefusal(
      provider.request({ method: "wallet_watchAsset", params: [] }),
      -32004,
      "wallet_watchAsset",
    );
  });
});
