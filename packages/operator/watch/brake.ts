import { accessManagerAbi } from "@hardhat-identity/protocol/chain/accessManager";
import { boundedCalls, getterCall } from "@hardhat-identity/protocol/chain/boundedCalls";
import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";
import type { KeySource } from "@hardhat-identity/signer/keys";
import { AbiCoder, Interface, Transaction } from "ethers";
import { orNoAnswer } from "./reading/node.ts";

const removalAbi = new Interface(["function removeSigner(address signer)"]);

/** The gas of a removal through an AccessManager is below 100 000; some chains charge for its data as gas besides. */
const leastGas = 300_000n;

/** A removal is about seconds, so it offers several times what a block asks for now. */
const feeFactor = 3n;

/** Wei for a unit of gas that are offered at least, unless the chain takes none. */
const leastFee = 1_000_000n;

/**
 * Milliseconds after which a removal that is not mined is sent again with twice the fee, as far as the guardian can pay it:
 * longer than a block usually takes.
 */
const resendAfterMs = 6_000;

export type Brake = ReturnType<typeof openBrake>;

/** Removes signers from a registry, as its owner or as a guardian of the AccessManager that owns it. */
export function openBrake(
  node: Eip1193Connection,
  input: { chainId: number; registry: string; key: KeySource },
) {
  const { chainId, registry, key } = input;
  const guardian = key.address;
  const ask = (method: string, ...params: unknown[]) => node.request({ method, params });
  /** Asks for a number: some nodes answer null, or text of their own, for what they do not have. */
  async function askNumber(method: string, ...params: unknown[]): Promise<bigint> {
    const answer = await ask(method, ...params);
    if (typeof answer === "string" && /^0x[\da-f]+$/i.test(answer)) return BigInt(answer);
    throw new ChainUnavailableError(`The node did not answer ${method} with a number.`);
  }

  const readBalance = () => askNumber("eth_getBalance", guardian, "latest");

  const tooPoor = (balance: bigint, cost: bigint) =>
    new InvalidInputError(
      `The guardian ${guardian} has ${balance} wei; a removal may cost ${cost}. Send ether to it.`,
    );

  /** Reads the fee to offer. A chain without a base fee takes legacy transactions only. */
  async function readFee(): Promise<{ fee: bigint; hasBaseFee: boolean }> {
    const [price, block] = await Promise.all([
      askNumber("eth_gasPrice"),
      ask("eth_getBlockByNumber", "latest", false),
    ]);
    const hasBaseFee = typeof membersOf(block).baseFeePerGas === "string";
    const wanted = price * feeFactor;
    return { fee: price > 0n && wanted < leastFee ? leastFee : wanted, hasBaseFee };
  }

  /** The removals that may wait for a block: their first and last nonce, and when they were sent. */
  let sent = { at: Number.NEGATIVE_INFINITY, first: -1, last: -1, fee: 0n, signers: "" };

  /** Whether a transaction of the guardian waits for a block that has this nonce, or a later one. */
  const hasPending = async (nonce: number) =>
    (await askNumber("eth_getTransactionCount", guardian, "pending")) > BigInt(nonce);

  /**
   * The call that removes a signer, of the registry for its owner and of the AccessManager that owns it for a guardian. It is
   * tried first: any other owner would take the call in silence.
   */
  async function planRemoval(signer: string): Promise<{ to: string; data: string; gasLimit: bigint }> {
    const [answer] = await boundedCalls(node, [getterCall(registry, "owner()", 32)]);
    if (!answer?.success) {
      throw new ChainUnavailableError(`The registry ${registry} does not answer owner().`);
    }
    const [owner] = AbiCoder.defaultAbiCoder().decode(["address"], answer.data);
    const isOwner = owner === guardian;
    const removal = removalAbi.encodeFunctionData("removeSigner", [signer]);
    const call = isOwner
      ? { to: registry, data: removal }
      : { to: String(owner), data: accessManagerAbi.encodeFunctionData("execute", [registry, removal]) };
    const needed = await askNumber("eth_estimateGas", { from: guardian, ...call }).catch(orNoAnswer);
    const gasLimit = needed !== undefined && needed * 2n > leastGas ? needed * 2n : leastGas;
    const asked = { from: guardian, ...call, gas: toQuantity(gasLimit) };
    const answered = await ask("eth_call", asked, "latest").catch(orNoAnswer);
    // `removeSigner` returns nothing, and `execute` a word.
    if (typeof answered === "string" && answered.length === (isOwner ? 2 : 66)) return { ...call, gasLimit };
    throw new InvalidInputError(
      `The guardian ${guardian} may not remove signers of the registry ${registry}: it is neither its owner nor a guardian of the AccessManager that owns it.`,
    );
  }

  return {
    guardian,
    /** Checks that it could remove a signer that is on the allowlist now: that the guardian may, and can pay. */
    async check(signer: string): Promise<void> {
      const [{ gasLimit }, balance, { fee }] = await Promise.all([
        planRemoval(signer),
        readBalance(),
        readFee(),
        key.check(),
      ]);
      if (balance < gasLimit * fee) throw tooPoor(balance, gasLimit * fee);
    },
    /**
     * Sends the removals. A pending transaction is replaced by one with a higher fee, so only one takes effect. Where it is
     * not known what a pending one offers, as after a restart, the fee doubles from call to call until the node takes it.
     *
     * @returns The hashes of what was sent now.
     */
    async remove(signers: readonly string[]): Promise<string[]> {
      const nonce = Number(await askNumber("eth_getTransactionCount", guardian, "latest"));
      const names = signers.join();
      const isPending = sent.first <= nonce && nonce <= sent.last;
      if (isPending && sent.signers === names && performance.now() - sent.at < resendAfterMs) return [];
      const [{ fee: least, hasBaseFee }, balance, calls] = await Promise.all([
        readFee(),
        readBalance(),
        Promise.all(signers.map(planRemoval)),
      ]);
      const gas = calls.reduce((sum, { gasLimit }) => sum + gasLimit, 0n);
      const wanted = isPending && sent.fee * 2n > least ? sent.fee * 2n : least;
      // A tenth stays: OP Stack chains charge for a transaction's data besides, and refuse one that leaves nothing for it.
      const most = (balance * 9n) / (gas * 10n);
      const affordable = wanted < most ? wanted : most;
      if (affordable === 0n && wanted > 0n) throw tooPoor(balance, wanted * gas);
      // Nodes replace a transaction only by one that offers a tenth more.
      const isSame = isPending && affordable * 10n < sent.fee * 11n;
      const fee = isSame ? sent.fee : affordable;
      const fees = hasBaseFee
        ? { type: 2, maxFeePerGas: fee, maxPriorityFeePerGas: fee / 2n }
        : { type: 0, gasPrice: fee };
      const hashes: string[] = [];
      for (const [index, call] of calls.entries()) {
        const transaction = Transaction.from({ chainId, nonce: nonce + index, ...call, ...fees });
        transaction.signature = await key.sign(transaction.unsignedHash);
        const last = nonce + index;
        const answer = await ask("eth_sendRawTransaction", transaction.serialized).catch(async (error) => {
          // A node that still has it refuses it.
          if (isSame) return orNoAnswer(error);
          if (await hasPending(last))
            sent = { at: Number.NEGATIVE_INFINITY, first: nonce, last, fee, signers: names };
          throw error;
        });
        if (answer !== undefined) hashes.push(String(answer));
        sent = { at: performance.now(), first: nonce, last, fee, signers: names };
      }
      return hashes;
    },
  };
}
