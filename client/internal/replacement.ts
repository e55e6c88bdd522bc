import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { callRpc } from "./rpc.ts";

/** A transaction, as nodes return it. */
interface Transaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
  readonly to: string | null;
  readonly value: string;
  readonly input: string;
}

/**
 * Looks for the transaction with the same sender and nonce: a wallet may have sped the first one up, or cancelled it.
 *
 * @returns What looks again at each call, and finds nothing unless the node has known the transaction. `isSame` tells
 * whether it does the same, such as for a higher fee.
 */
export function replacementFinder(node: Eip1193Connection, hash: string) {
  let original: Transaction | undefined;
  return async (): Promise<{ hash: string; isSame: boolean } | undefined> => {
    original ??= readTransaction(await callRpc(node, "eth_getTransactionByHash", [hash]));
    if (original === undefined) return undefined;
    const found = await findByNonce(node, original);
    return found && { hash: found.hash, isSame: describe(found) === describe(original) };
  };
}

const describe = ({ to, value, input }: Transaction) => `${to} ${BigInt(value)} ${input}`.toLowerCase();

/** Finds a sender's mined transaction, in the first block after which the sender's nonce is a higher one. */
async function findByNonce(
  node: Eip1193Connection,
  { from, nonce }: Transaction,
): Promise<Transaction | undefined> {
  const readCount = (at: string) => callRpc(node, "eth_getTransactionCount", [from, at]);
  const isTaken = async (block: number) => Number(await readCount(toHex(block))) > Number(nonce);
  if (Number(await readCount("latest")) <= Number(nonce)) return undefined;
  let high = Number(await callRpc(node, "eth_blockNumber", []));
  let low = high;
  // It was most likely taken a moment ago. Nodes may have forgotten the state of old blocks.
  for (let step = 1; low >= 0 && (await isTaken(low)); step *= 2) {
    high = low;
    low -= step;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isTaken(middle)) high = middle;
    else low = middle;
  }
  const block: unknown = await callRpc(node, "eth_getBlockByNumber", [toHex(high), true]);
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

const toHex = (block: number) => `0x${block.toString(16)}`;
