import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import type { Receipt } from "@hardhat-identity/protocol/receipt";
import { callRpc, readChainId, readOnChain, unreadable } from "./rpc.ts";

/** A transaction, as nodes return it. */
interface Transaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
  readonly chainId?: string | undefined;
  readonly to: string | null;
  readonly value: string;
  readonly input: string;
}

/**
 * Looks for the transaction with the same sender and nonce on the same chain: a wallet may have sped the first one up,
 * or cancelled it.
 *
 * @returns A function that looks again at each call, and finds nothing unless the node has known the transaction.
 * `isSame` tells whether the other transaction does the same, such as for a higher fee.
 */
export function replacementFinder(node: Eip1193Connection, hash: string) {
  let original: Transaction | undefined;
  let chainId: number | undefined;
  return async (): Promise<{ receipt: Receipt; isSame: boolean } | undefined> => {
    original ??= readTransaction(await callRpc(node, "eth_getTransactionByHash", [hash]));
    if (original === undefined) return undefined;
    const sent = original;
    // Transactions before EIP-155 have none.
    chainId ??= sent.chainId == null ? await readChainId(node) : Number(sent.chainId);
    return readOnChain(node, chainId, async () => {
      const found = await findByNonce(node, sent);
      const receipt = found && (await readReceipt(node, found.hash));
      return receipt && { receipt, isSame: describeTransaction(found) === describeTransaction(sent) };
    });
  };
}

const describeTransaction = ({ to, value, input }: Transaction) =>
  `${to} ${BigInt(value)} ${input}`.toLowerCase();

/** Finds a sender's mined transaction, in the first block after which the sender's nonce is a higher one. */
async function findByNonce(
  node: Eip1193Connection,
  { from, nonce }: Transaction,
): Promise<Transaction | undefined> {
  const readCount = (at: string) => callRpc(node, "eth_getTransactionCount", [from, at]);
  const isTaken = async (block: number) => Number(await readCount(toQuantity(block))) > Number(nonce);
  if (Number(await readCount("latest")) <= Number(nonce)) return undefined;
  let high = Number(await callRpc(node, "eth_blockNumber", []));
  let low = high;
  // It was most likely taken a moment ago. Nodes may have forgotten the state of old blocks.
  for (let step = 1; low >= 0 && (await isTaken(low)); step *= 2) {
    high = low;
    low = Math.max(low - step, -1);
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isTaken(middle)) high = middle;
    else low = middle;
  }
  const block: unknown = await callRpc(node, "eth_getBlockByNumber", [toQuantity(high), true]);
  const transactions: unknown[] = Object(block).transactions ?? [];
  return transactions
    .map(readTransaction)
    .find((each) => each?.from.toLowerCase() === from.toLowerCase() && Number(each.nonce) === Number(nonce));
}

function readTransaction(answer: unknown): Transaction | undefined {
  const { hash, from, nonce, value, input } = Object(answer);
  const isOne = [hash, from, nonce, value, input].every((member) => typeof member === "string");
  return isOne ? (answer as Transaction) : undefined;
}

/** Returns `undefined` while no block has the transaction: nodes answer `null`, some a receipt without a block. */
export async function readReceipt(node: Eip1193Connection, hash: string): Promise<Receipt | undefined> {
  const receipt = await callRpc(node, "eth_getTransactionReceipt", [hash]);
  if (receipt == null) return undefined;
  const { blockNumber, status } = Object(receipt);
  if (blockNumber === null) return undefined;
  const success = typeof status === "string" ? readSuccess(status) : undefined;
  if (typeof blockNumber !== "string" || success === undefined) throw unreadable("eth_getTransactionReceipt");
  return { ...(receipt as Receipt), status: success ? "0x1" : "0x0" };
}

/** Reads a receipt's status: JSON-RPC's quantity, which some wallets pad, ethers' number, or viem's word. */
export const readSuccess = (status: unknown): boolean | undefined =>
  /^(?:(?:0x)?0*1|success)$/.test(`${status}`) && !Array.isArray(status)
    ? true
    : /^(?:(?:0x)?0+|reverted)$/.test(`${status}`)
      ? false
      : undefined;
