import { expect } from "chai";
import { walletFixture } from "../fixtures/wallet/wallet.ts";

const sequentially = { atomicRequired: false };

describe("A batch that is executed call by call", () => {
  it("is one transaction for each call, in order, with a receipt for each", async () => {
    const { batches, call, recorder, alice, ethers } = await walletFixture();
    const calls = [call("record"), call("record", [], { value: "0x5" })];
    const { receipts, ...status } = await batches.send(calls, sequentially);
    expect(status).to.deep.include({ version: "2.0.0", chainId: "0x14a34", status: 200, atomic: false });
    expect(receipts.map((receipt) => receipt.logs.length)).to.deep.equal([1, 1]);
    const sent = await Promise.all(
      receipts.map(({ transactionHash }) => ethers.provider.getTransaction(transactionHash)),
    );
    expect(sent.map((transaction) => [transaction?.from, transaction?.to, transaction?.value])).to.deep.equal(
      [
        [alice.address, recorder.target, 0n],
        [alice.address, recorder.target, 5n],
      ],
    );
    expect(await ethers.provider.getCode(alice.address)).to.equal("0x");
  });

  it("keeps the calls before a failing one, and stops there: 600", async () => {
    const { batches, call, recorder } = await walletFixture();
    const status = await batches.send([call("record"), call("refuse", [7]), call("record")], sequentially);
    expect(status).to.include({ status: 600, atomic: false });
    expect(status.receipts.map((receipt) => receipt.status)).to.deep.equal(["0x1", "0x0"]);
    expect(status.failure).to.include("Refused(7)");
    expect(await recorder.count()).to.equal(1);
  });

  it("has status 500 and a receipt if the first call fails", async () => {
    const { batches, call, recorder } = await walletFixture();
    const status = await batches.send([call("fail"), call("record")], sequentially);
    expect(status).to.include({ status: 500, atomic: false });
    expect(status.receipts.map((receipt) => receipt.status)).to.deep.equal(["0x0"]);
    expect(await recorder.count()).to.equal(0);
  });

  it("stops at a failing call, also on a node that does not report reverts as errors", async () => {
    const { batches, call } = await walletFixture({ throwOnTransactionFailures: false });
    const status = await batches.send([call("record"), call("fail"), call("record")], sequentially);
    expect(status).to.include({ status: 600 });
    expect(status.receipts.map((receipt) => receipt.status)).to.deep.equal(["0x1", "0x0"]);
  });

  it("has the receipt of its own transaction, also if another of the account is mined with it", async () => {
    const { batches, call, node, alice } = await walletFixture();
    const setAutomine = (on: boolean) => node.request({ method: "evm_setAutomine", params: [on] });
    await setAutomine(false);
    const waits = { from: alice.address, to: alice.address, value: "0x1" };
    const other = await node.request({ method: "eth_sendTransaction", params: [waits] });
    await setAutomine(true);
    const status = await batches.send([call("fail")], sequentially);
    expect(status).to.include({ status: 500 });
    expect(status.receipts.map(({ transactionHash }) => transactionHash)).not.to.include(other);
  });

  it("has the receipt of its own transaction, also if another account's with the same nonce is mined first", async () => {
    const { batches, call, node, alice, bob } = await walletFixture();
    const setAutomine = (on: boolean) => node.request({ method: "evm_setAutomine", params: [on] });
    await setAutomine(false);
    const waits = { from: bob.address, to: bob.address, gasPrice: "0x174876e800" };
    const other = await node.request({ method: "eth_sendTransaction", params: [waits] });
    await setAutomine(true);
    const { receipts } = await batches.send([call("fail")], sequentially);
    const block = (await node.request({
      method: "eth_getBlockByNumber",
      params: [receipts[0]?.blockNumber, true],
    })) as { transactions: { hash: string; from: string; nonce: string }[] };
    const own = { from: alice.address.toLowerCase(), nonce: "0x0", hash: receipts[0]?.transactionHash };
    expect(block.transactions.map(({ from, nonce, hash }) => ({ from, nonce, hash }))).to.deep.equal([
      { from: bob.address.toLowerCase(), nonce: "0x0", hash: other },
      own,
    ]);
  });

  it("has status 400 if the node accepts no transaction, and 600 if it accepted one", async () => {
    const { batches, call } = await walletFixture();
    const tooMuch = call("record", [], { value: `0x${(10n ** 24n).toString(16)}` });
    const none = await batches.send([tooMuch, call("record")], sequentially);
    expect(none).to.deep.include({ status: 400, receipts: [] });
    expect(none.failure).to.include("enough funds");
    expect(await batches.send([call("record"), tooMuch], sequentially)).to.include({ status: 600 });
  });

  it("sends a call with its gas limit as the transaction's", async () => {
    const { batches, call, ethers } = await walletFixture();
    const gasLimit = { capabilities: { gasLimitOverride: { value: "0x186a0" } } };
    const { receipts } = await batches.send([call("record", [], gasLimit)], sequentially);
    const transaction = await ethers.provider.getTransaction(receipts[0]?.transactionHash ?? "");
    expect(transaction?.gasLimit).to.equal(100_000);

    expect(await batches.send([call("burn", [100_000], gasLimit)], sequentially)).to.include({ status: 500 });
  });

  it("may be empty, which sends nothing and succeeds", async () => {
    const { batches } = await walletFixture();
    expect(await batches.send([], sequentially)).to.deep.include({ status: 200, receipts: [] });
  });
});

describe("A batch on a node that does not mine at once", () => {
  async function fixture() {
    const found = await walletFixture();
    await found.node.request({ method: "evm_setAutomine", params: [false] });
    return found;
  }

  it("has status 100 until it is mined", async () => {
    const { batches, call, helpers, recorder } = await fixture();
    const { id, status } = await batches.submit([call("record"), call("record")]);
    expect(status).to.equal("pending");
    expect(await batches.status(id)).to.deep.include({ status: 100, receipts: [] });
    await helpers.mine();
    expect(await batches.status(id)).to.deep.include({ status: 200 });
    expect(await recorder.count()).to.equal(2);
  });

  it("may be followed by other pending batches of the account", async () => {
    const { batches, call, helpers, recorder, bob } = await fixture();
    const transfer = { to: bob.address, value: "0x1" };
    const first = await batches.submit([call("record"), transfer]);
    const second = await batches.submit([call("record"), call("refuse", [1])]);
    const third = await batches.submit([call("record"), transfer]);
    await helpers.mine();
    expect((await batches.status(first.id)).status).to.equal(200);
    expect((await batches.status(second.id)).status).to.equal(500);
    expect((await batches.status(third.id)).status).to.equal(200);
    expect(await recorder.count()).to.equal(2);
  });

  it("has gas estimated for each call after those before it", async () => {
    const { batches, call, helpers, ethers } = await fixture();
    const { id } = await batches.submit([call("record"), call("follow")], sequentially);
    await helpers.mine();
    const { receipts } = await batches.status(id);
    const following = await ethers.provider.getTransaction(receipts[1]?.transactionHash ?? "");
    expect(following?.gasLimit).to.be.below(100_000n);
  });

  it("is pending while one call is, and does not stop at a failing one", async () => {
    const { batches, call, helpers, recorder } = await fixture();
    const calls = [call("record"), call("refuse", [1]), call("record")];
    const { id } = await batches.submit(calls, sequentially);
    expect(await batches.status(id))
      .to.include({ status: 100 })
      .and.not.have.property("revertData");
    await helpers.mine();
    const status = await batches.status(id);
    expect(status).to.include({
      status: 600,
      revertData: recorder.interface.encodeErrorResult("Refused", [1]),
    });
    expect(status.receipts.map((receipt) => receipt.status)).to.deep.equal(["0x1", "0x0", "0x1"]);
    expect(await recorder.count()).to.equal(2);
  });

  it("is pending while its first call is, though the node has dropped a later one", async () => {
    const { batches, call, node } = await fixture();
    const { id } = await batches.submit([call("record"), call("record")], sequentially);
    const block = (await node.request({ method: "eth_getBlockByNumber", params: ["pending", true] })) as {
      transactions: { hash: string; nonce: string }[];
    };
    const [, second] = block.transactions.toSorted((a, b) => Number(a.nonce) - Number(b.nonce));
    await node.request({ method: "hardhat_dropTransaction", params: [second?.hash] });
    expect(await batches.status(id)).to.include({ status: 100 });
  });

  it("has status 400 if the node drops its transaction", async () => {
    const { batches, call, node, alice } = await fixture();
    const { id } = await batches.submit([call("record")]);
    const block = (await node.request({ method: "eth_getBlockByNumber", params: ["pending", true] })) as {
      transactions: { hash: string; from: string }[];
    };
    const [transaction] = block.transactions.filter(({ from }) => from === alice.address.toLowerCase());
    await node.request({ method: "hardhat_dropTransaction", params: [transaction?.hash] });
    expect(await batches.status(id)).to.deep.include({ status: 400, receipts: [] });
  });
});
