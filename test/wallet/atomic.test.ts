import { expect } from "chai";
import { id, type TransactionReceipt, zeroPadValue } from "ethers";
import { network } from "hardhat";
import { expectRefusal, walletFixture } from "../fixtures/wallet/wallet.ts";

const gasLimit = (gas: number) => ({
  capabilities: { gasLimitOverride: { value: `0x${gas.toString(16)}` } },
});

/** A call that fails with a custom error of the executor, as the node words it. */
const executorError = (text: string) => `reverted with custom error '${text}'`;

describe("A batch that is executed atomically", () => {
  it("is one transaction from the upgraded account, with one receipt", async () => {
    const { batches, call, recorder, alice, ethers } = await walletFixture();
    const { receipts, ...status } = await batches.send([
      call("record"),
      call("record", [], { value: "0x5" }),
    ]);
    expect(status).to.deep.include({ version: "2.0.0", chainId: "0x14a34", status: 200, atomic: true });
    expect(receipts).to.have.length(1);
    expect(await recorder.count()).to.equal(2);
    expect(await recorder.lastSender()).to.equal(alice.address);
    expect(await recorder.lastValue()).to.equal(5);
    const transaction = await ethers.provider.getTransaction(receipts[0]?.transactionHash ?? "");
    expect(transaction).to.include({ from: alice.address, to: alice.address, type: 4 });
    expect(await ethers.provider.getCode(alice.address)).to.match(/^0xef0100/);
  });

  it("has a receipt with exactly EIP-5792's members and the logs of its calls", async () => {
    const { batches, call, recorder, alice, ethers } = await walletFixture();
    const { receipts } = await batches.send([call("record"), call("record", [], { value: "0x5" })]);
    const mined = (await ethers.provider.getTransactionReceipt(
      receipts[0]?.transactionHash ?? "",
    )) as TransactionReceipt;
    const log = (value: number) => ({
      address: String(recorder.target).toLowerCase(),
      topics: [id("Recorded(address,uint256)"), zeroPadValue(alice.address, 32).toLowerCase()],
      data: zeroPadValue(`0x0${value}`, 32),
    });
    expect(receipts).to.deep.equal([
      {
        logs: [log(0), log(5)],
        status: "0x1",
        blockHash: mined.blockHash,
        blockNumber: `0x${mined.blockNumber.toString(16)}`,
        gasUsed: `0x${mined.gasUsed.toString(16)}`,
        transactionHash: mined.hash,
      },
    ]);
  });

  it("leaves nothing behind if one call fails, and has a receipt of the failure", async () => {
    const { batches, call, recorder } = await walletFixture();
    const status = await batches.send([call("record"), call("refuse", [7])]);
    expect(status).to.include({ status: 500, atomic: true });
    expect(status.receipts.map((receipt) => receipt.status)).to.deep.equal(["0x0"]);
    expect(status.failure).to.include(executorError("Refused(7)"));
    expect(await recorder.count()).to.equal(0);
  });

  it("may be empty", async () => {
    const { batches } = await walletFixture();
    const status = await batches.send([]);
    expect(status).to.include({ status: 200, atomic: true });
    expect(status.receipts).to.have.length(1);
  });

  it("is used by an upgraded account even if not required", async () => {
    const { batches, call, recorder } = await walletFixture();
    const calls = [call("record"), call("fail")];
    expect(await batches.send(calls, { atomicRequired: false })).to.include({ status: 600, atomic: false });
    await batches.send([]);
    expect(await batches.send(calls, { atomicRequired: false })).to.include({ status: 500, atomic: true });
    expect(await recorder.count()).to.equal(1);
  });

  it("may be one of several sent at once from one account", async () => {
    const { batches, call, recorder, bob } = await walletFixture();
    const transfer = { to: bob.address, value: "0x1" };
    const sent = await Promise.all([1, 2, 3].map(() => batches.submit([call("record"), transfer])));
    const statuses = await Promise.all(sent.map(({ batchId }) => batches.status(batchId)));
    expect(statuses.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(await recorder.count()).to.equal(3);
  });

  it("gives a call its whole gas limit, also after other calls", async () => {
    const { batches, call, recorder } = await walletFixture();
    await batches.send([call("burn", [1_000_000]), call("record", [], gasLimit(5_000_000))]);
    expect(await recorder.lastGas()).to.be.within(4_999_000, 5_000_000);
  });

  it("reports the failing call's reason, also if another call has a high gas limit or uses much gas", async () => {
    const { batches, call } = await walletFixture();
    const large = call("record", [], gasLimit(20_000_000));
    for (const others of [[large], [call("record"), large], [call("burn", [10_000_000])]]) {
      const { failure } = await batches.send([...others, call("refuse", [1])]);
      expect(failure).to.include(executorError("Refused(1)"));
    }
  });

  it("is executed again after a snapshot was reverted, whenever that was taken", async () => {
    const { batches, call, recorder, helpers, bob } = await walletFixture();
    const calls = [call("record"), { to: bob.address, value: "0x1" }];
    const atFirst = await helpers.takeSnapshot();
    await batches.send(calls);
    await atFirst.restore();
    expect(await batches.send(calls)).to.include({ status: 200, atomic: true });
    const whenUpgraded = await helpers.takeSnapshot();
    await batches.send(calls);
    await whenUpgraded.restore();
    expect(await batches.send(calls)).to.include({ status: 200, atomic: true });
    expect(await recorder.count()).to.equal(2);
  });

  for (const [what, code] of [
    ["taken away from under an upgraded account", "0x"],
    ["replaced by other code", "0x00"],
  ] as const) {
    it(`is executed although the executor was ${what}`, async () => {
      const { batches, call, recorder, helpers, ethers, alice, bob } = await walletFixture();
      const calls = [call("record"), { to: bob.address, value: "0x1" }];
      await batches.send(calls);
      const executor = `0x${(await ethers.provider.getCode(alice.address)).slice(8)}`;
      await helpers.setCode(executor, code);
      expect(await batches.send(calls)).to.include({ status: 200, atomic: true });
      expect(await recorder.count()).to.equal(2);
    });
  }
});

describe("A batch of one call that must be atomic", () => {
  /** Sends one call, and asserts that it became a transaction of the account as any other. */
  async function expectTransaction(
    { batches, call, recorder, ethers }: Awaited<ReturnType<typeof walletFixture>>,
    from: string,
  ) {
    const before = await ethers.provider.getCode(from);
    const { receipts, ...status } = await batches.send([call("record", [], { value: "0x5" })], { from });
    expect(status).to.include({ status: 200, atomic: true });
    expect(receipts).to.have.length(1);
    const transaction = await ethers.provider.getTransaction(receipts[0]?.transactionHash ?? "");
    const data = recorder.interface.encodeFunctionData("record");
    expect(transaction).to.deep.include({ from, to: recorder.target, value: 5n, data, type: 2 });
    expect(await recorder.lastSender()).to.equal(from);
    expect(await ethers.provider.getCode(from)).to.equal(before);
  }

  it("is an ordinary transaction that leaves the account as it is", async () => {
    const found = await walletFixture();
    await expectTransaction(found, found.alice.address);
    expect(await found.ethers.provider.getCode(found.alice.address)).to.equal("0x");
  });

  it("needs neither EIP-7702 nor the user's approval of an upgrade", async () => {
    const found = await walletFixture();
    found.wallet.supports7702 = false;
    found.wallet.approveUpgrade = false;
    await expectTransaction(found, found.alice.address);
    const old = await walletFixture({ hardfork: "holocene" });
    await expectTransaction(old, old.alice.address);
  });

  it("works the same from an upgraded account, one that delegates elsewhere, or a contract", async () => {
    const found = await walletFixture();
    const { batches, wallet, helpers, recorder, alice, bob } = found;
    await batches.send([]);
    await expectTransaction(found, alice.address);
    await helpers.setCode(bob.address, `0xef0100${String(recorder.target).slice(2)}`);
    await expectTransaction(found, bob.address);
    const contract = String(recorder.target);
    await helpers.setBalance(contract, 10n ** 18n);
    wallet.authorize({ accounts: [contract] });
    await expectTransaction(found, contract);
  });

  it("has status 500 and a receipt if it fails", async () => {
    const { batches, call } = await walletFixture();
    const status = await batches.send([call("refuse", [7])]);
    expect(status).to.include({ status: 500, atomic: true });
    expect(status.receipts.map((receipt) => receipt.status)).to.deep.equal(["0x0"]);
    expect(status.failure).to.include("Refused(7)");
  });

  it("has the call's gas limit as the transaction's, also from an upgraded account", async () => {
    const { batches, call, ethers } = await walletFixture();
    const sentGas = async () => {
      const { receipts } = await batches.send([call("record", [], gasLimit(100_000))]);
      return (await ethers.provider.getTransaction(receipts[0]?.transactionHash ?? ""))?.gasLimit;
    };
    expect(await sentGas()).to.equal(100_000n);
    await batches.send([]);
    expect(await sentGas()).to.equal(100_000n);
    expect(await batches.send([call("burn", [100_000], gasLimit(90_000))])).to.include({ status: 500 });
  });

  it("is shown to the user, who may refuse it", async () => {
    const { batches, call, wallet, recorder } = await walletFixture();
    wallet.approve = false;
    await expectRefusal(batches.submit([call("record")]), 4001);
    expect(await recorder.count()).to.equal(0);
  });
});

describe("The account of an atomic batch", () => {
  const privateKey = id("an account of a test");
  const mnemonic = "test test test test test test test test test test test test";

  for (const [what, accounts] of [
    ["a list of private keys", [{ privateKey, balance: "1000000000000000000000" }]],
    [
      "a mnemonic with path, index and passphrase",
      { mnemonic, path: "m/44'/60'/7'/0", initialIndex: 3, passphrase: "p" },
    ],
    ["a path that ends with a slash", { mnemonic, path: "m/44'/60'/0'/0/" }],
  ] as const) {
    it(`signs its own upgrade if the configuration has ${what}`, async () => {
      const { provider: node } = await network.create({
        network: "identityLocal",
        override: { accounts: Array.isArray(accounts) ? [...accounts] : { ...accounts, count: 2 } },
      });
      const own = (await node.request({ method: "eth_accounts" })) as string[];
      const from = own.at(-1);
      const batch = { version: "2.0.0", from, chainId: "0x14a34", atomicRequired: true, calls: [] };
      const { id } = (await node.request({ method: "wallet_sendCalls", params: [batch] })) as {
        id: string;
      };
      const { receipts } = await node.request({ method: "wallet_getCallsStatus", params: [id] });
      const hash = receipts[0].transactionHash;
      const transaction = await node.request({ method: "eth_getTransactionByHash", params: [hash] });
      expect(transaction).to.include({ type: "0x4" });
      expect(await node.request({ method: "eth_getCode", params: [from, "latest"] })).to.match(/^0xef0100/);
    });
  }

  it("may be impersonated by the node, which upgrades it without its key", async () => {
    const { batches, call, recorder, wallet, helpers, bob } = await walletFixture();
    const whale = "0x00000000000000000000000000000000DeaDBeef";
    const calls = [call("record"), { to: bob.address, value: "0x1" }];
    await helpers.setBalance(whale, 10n ** 18n);
    await expectRefusal(batches.submit(calls, { from: whale }), 4100, whale.toLowerCase());
    wallet.authorize({ accounts: [whale] });
    expect(await batches.send(calls, { from: whale })).to.include({ status: 200, atomic: true });
    expect(await recorder.lastSender()).to.equal(whale);
  });

  it("is not upgraded if it is a contract: 5750, or call by call if atomicity is optional", async () => {
    const { batches, call, recorder, wallet, helpers } = await walletFixture();
    const contract = String(recorder.target);
    await helpers.setBalance(contract, 10n ** 18n);
    wallet.authorize({ accounts: [contract] });
    const calls = [call("record"), call("record")];
    await expectRefusal(
      batches.submit(calls, { from: contract }),
      5750,
      "code of its own",
      contract.toLowerCase(),
    );
    expect(await batches.send(calls, { from: contract, atomicRequired: false })).to.include({
      status: 200,
      atomic: false,
    });
    expect(await recorder.lastSender()).to.equal(contract);
  });

  it("is not upgraded if it already delegates to another contract", async () => {
    const { batches, call, recorder, helpers, alice } = await walletFixture();
    await helpers.setCode(alice.address, `0xef0100${String(recorder.target).slice(2)}`);
    const calls = [call("record"), call("record")];
    await expectRefusal(batches.submit(calls), 5750, "code of its own");
    expect(await batches.send(calls, { atomicRequired: false })).to.include({
      status: 200,
      atomic: false,
    });
  });
});
