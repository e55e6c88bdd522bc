import { expect } from "chai";
import { AbiCoder, Interface, Transaction } from "ethers";
import { openBrake } from "../../../packages/operator/watch/brake.ts";
import { ChainUnavailableError } from "../../../packages/protocol/chain/connect.ts";
import { openCurve, openHashes, openKeySource } from "../../../signer/keys.ts";
import { passTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";

const gwei = 10n ** 9n;
const registry = `0x${"22".repeat(20)}`;

/** The brake of a registry's owner at a node that is told what to answer. */
async function fixture() {
  const curve = await openCurve(await openHashes());
  const location = { kind: "private-key", privateKey: `0x${"11".repeat(32)}` } as const;
  const key = { ...(await openKeySource(location, "IDENTITY_GUARDIAN_KEY", curve)) };
  const node = {
    balance: 10n ** 18n,
    price: gwei,
    gas: 60_000n,
    hasBaseFee: true,
    takes: true,
    /** Whether it refuses to replace a transaction for less than a tenth more, as geth does. */
    isStrict: false,
    /** The number of mined transactions. */
    mined: 0,
    /** The fees of those that wait, by nonce. */
    waiting: new Map<number, bigint>(),
    owner: key.address,
    removal: "0x",
  };
  const sent: Transaction[] = [];
  const callers = new Set<unknown>();
  const hex = (value: bigint) => `0x${value.toString(16)}`;
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_getBalance: () => hex(node.balance),
    eth_gasPrice: () => hex(node.price),
    eth_estimateGas([call]) {
      callers.add(Object(call).from);
      return hex(node.gas);
    },
    eth_getTransactionCount: ([, block]) =>
      hex(
        BigInt(
          block === "pending"
            ? Math.max(node.mined, ...[...node.waiting.keys()].map((nonce) => nonce + 1))
            : node.mined,
        ),
      ),
    eth_getBlockByNumber: () => (node.hasBaseFee ? { baseFeePerGas: "0x1" } : {}),
    eth_sendRawTransaction([raw]) {
      if (!node.takes) throw new ChainUnavailableError("No.", { refused: true });
      const transaction = Transaction.from(String(raw));
      const [{ nonce }, fee] = [transaction, transaction.maxFeePerGas ?? 0n];
      if (node.isStrict && fee * 10n < (node.waiting.get(nonce) ?? 0n) * 11n)
        throw new ChainUnavailableError("replacement transaction underpriced", { refused: true });
      node.waiting.set(nonce, fee);
      sent.push(transaction);
      return `0x${String(sent.length).padStart(64, "0")}`;
    },
    // The answers of `owner()` to a bounded call, and of `removeSigner` or `execute` to a plain one.
    eth_call([call, ...others]) {
      if (others.length > 1) return answerOfOwner();
      callers.add(Object(call).from);
      return node.removal;
    },
  };
  const abi = AbiCoder.defaultAbiCoder();
  const answerOfOwner = () => {
    const word = abi.encode(["address"], [node.owner]);
    return abi.encode(["tuple(bool,bool,bool,uint256,bytes)[]"], [[[true, true, false, 32, word]]]);
  };
  const connection = {
    request: async ({
      method,
      params = [],
    }: {
      method: string;
      params?: object | readonly unknown[] | undefined;
    }) => answers[method]?.(params as readonly unknown[]),
  };
  const brake = openBrake(connection, { chainId: 1, registry, key });
  const remove = () => brake.remove([`0x${"33".repeat(20)}`]);
  return { brake, node, key, sent, callers, remove };
}

describe("The fee of a removal", () => {
  it("doubles while no block takes it, up to what the guardian has", async () => {
    const { node, sent, remove } = await fixture();
    node.balance = 9n * gwei * 300_000n;
    for (let i = 0; i < 4; i++) {
      await remove();
      passTime(6_100);
    }
    const fees = sent.map(({ maxFeePerGas }) => Number(maxFeePerGas) / 1e9);
    expect(fees).to.deep.equal([3, 6, 8.1, 8.1]);
    // Without a tip, no block has a reason to take it first.
    expect(sent.map(({ maxPriorityFeePerGas }) => Number(maxPriorityFeePerGas) / 1e9)).to.deep.equal(
      fees.map((fee) => fee / 2),
    );
    node.takes = false;
    expect(await remove()).to.deep.equal([]);
  });

  it("leaves a tenth of what the guardian has for what a chain charges besides", async () => {
    const { node, sent, remove } = await fixture();
    node.balance = 2n * gwei * 300_000n;
    await remove();
    expect(sent.map(({ maxFeePerGas }) => maxFeePerGas)).to.deep.equal([(18n * gwei) / 10n]);
  });

  it("stays the same where the guardian cannot offer a tenth more: nodes take no smaller rise", async () => {
    const { node, sent, remove } = await fixture();
    node.balance = 7n * gwei * 300_000n;
    for (let i = 0; i < 3; i++) {
      await remove();
      passTime(6_100);
    }
    expect(sent.map(({ maxFeePerGas }) => Number(maxFeePerGas) / 1e9)).to.deep.equal([3, 6, 6]);
  });

  it("stays as it was where the node did not take the removal", async () => {
    const { node, sent, remove } = await fixture();
    node.takes = false;
    for (let i = 0; i < 3; i++) {
      await rejection(remove());
      passTime(6_100);
    }
    node.takes = true;
    await remove();
    expect(sent.map(({ maxFeePerGas }) => maxFeePerGas)).to.deep.equal([3n * gwei]);
  });

  it("is named to a guardian that has nothing", async () => {
    const { brake, node, remove } = await fixture();
    node.balance = 0n;
    for (const refused of [remove(), brake.check(`0x${"33".repeat(20)}`)])
      expect((await rejection(refused)).message).to.match(/has 0 wei; a removal may cost \d+\. Send ether/);
  });

  it("is checked against all that the guardian has", async () => {
    const { brake, node } = await fixture();
    const signer = `0x${"33".repeat(20)}`;
    node.balance = 3n * gwei * 300_000n;
    await brake.check(signer);
    node.balance -= 1n;
    expect((await rejection(brake.check(signer))).message).to.include(
      `has ${node.balance} wei; a removal may`,
    );
  });

  it("is nothing where gas is free, and pays for what a chain charges for data as gas", async () => {
    const { brake, node, sent, remove } = await fixture();
    Object.assign(node, { balance: 0n, price: 0n, gas: 2_000_000n });
    await brake.check(`0x${"33".repeat(20)}`);
    await remove();
    expect([sent[0]?.maxFeePerGas, sent[0]?.gasLimit]).to.deep.equal([0n, 4_000_000n]);
  });

  it("is a million wei for a unit of gas at least, where gas costs less but is not free", async () => {
    const { node, sent, remove } = await fixture();
    node.price = 7n;
    await remove();
    expect(sent.map(({ maxFeePerGas }) => maxFeePerGas)).to.deep.equal([1_000_000n]);
  });

  it("is a plain gas price on a chain without a base fee", async () => {
    const { node, sent, remove } = await fixture();
    node.hasBaseFee = false;
    await remove();
    expect([sent[0]?.type, sent[0]?.gasPrice]).to.deep.equal([0, 3n * gwei]);
  });
});

describe("A removal while a transaction of the guardian waits", () => {
  const [a, b] = ["33", "44"].map((byte) => `0x${byte.repeat(20)}`) as [string, string];

  it("replaces the removal of another signer, and is sent again after the first of two was mined", async () => {
    const { brake, node, sent } = await fixture();
    node.isStrict = true;
    await brake.remove([a]);
    expect(await brake.remove([a, b])).to.have.length(2);
    expect(sent.map(({ nonce, maxFeePerGas }) => [nonce, maxFeePerGas])).to.deep.equal([
      [0, 3n * gwei],
      [0, 6n * gwei],
      [1, 6n * gwei],
    ]);
    node.mined = 1;
    passTime(6_100);
    expect(await brake.remove([b])).to.have.length(1);
    expect([sent.at(-1)?.nonce, sent.at(-1)?.maxFeePerGas]).to.deep.equal([1, 12n * gwei]);
  });

  it("doubles its fee until a node takes it in place of one that somebody else has sent", async () => {
    const { brake, node, sent } = await fixture();
    Object.assign(node, { isStrict: true, waiting: new Map([[0, 20n * gwei]]) });
    for (let i = 0; i < 3; i++) await rejection(brake.remove([a]));
    expect(await brake.remove([a])).to.have.length(1);
    expect(sent.map(({ maxFeePerGas }) => maxFeePerGas)).to.deep.equal([24n * gwei]);
  });

  it("keeps its fee where a node refuses it for another reason", async () => {
    const { brake, node, sent } = await fixture();
    node.takes = false;
    for (let i = 0; i < 2; i++) await rejection(brake.remove([a]));
    node.takes = true;
    await brake.remove([a]);
    expect(sent.map(({ maxFeePerGas }) => maxFeePerGas)).to.deep.equal([3n * gwei]);
  });
});

describe("The brake of a registry", () => {
  const signer = `0x${"33".repeat(20)}`;

  it("asks in the name of its guardian what a removal needs, and whether it may", async () => {
    const { brake, key, callers } = await fixture();
    await brake.check(signer);
    expect([...callers]).to.deep.equal([key.address]);
  });

  it("does not hold where the holder of its key is away, however much ether the guardian has", async () => {
    const { brake, key } = await fixture();
    key.check = () => Promise.reject(new Error("The key does not answer."));
    expect((await rejection(brake.check(signer))).message).to.equal("The key does not answer.");
  });

  it("is pulled through the AccessManager that owns the registry, and not where that takes the call in silence", async () => {
    const { brake, node, sent, remove } = await fixture();
    node.owner = `0x${"44".repeat(20)}`;
    expect((await rejection(brake.check(signer))).message).to.include(
      "may not remove signers of the registry",
    );
    node.removal = `0x${"0".repeat(64)}`;
    await brake.check(signer);
    await remove();
    const removal = new Interface(["function removeSigner(address signer)"]).encodeFunctionData(
      "removeSigner",
      [signer],
    );
    const { to, data } = sent[0] ?? {};
    const call = new Interface(["function execute(address target, bytes data)"]).decodeFunctionData(
      "execute",
      data ?? "",
    );
    expect([to, ...call]).to.deep.equal([node.owner, registry, removal]);
  });
});

describe("The removals of several signers", () => {
  it("are each a transaction of its own, one after the other", async () => {
    const { brake, sent } = await fixture();
    const hashes = await brake.remove(["33", "44", "55"].map((byte) => `0x${byte.repeat(20)}`));
    expect(hashes).to.have.length(3);
    expect(sent.map(({ nonce }) => nonce)).to.deep.equal([0, 1, 2]);
  });

  it("are sent at once though the removal of another signer waits for a block", async () => {
    const { brake, sent, remove } = await fixture();
    expect([(await remove()).length, (await remove()).length]).to.deep.equal([1, 0]);
    const both = await brake.remove(["33", "44"].map((byte) => `0x${byte.repeat(20)}`));
    expect([both.length, sent.length]).to.deep.equal([2, 3]);
  });
});
