import { toQuantity } from "ethers";
import { type BoundedAnswer, type BoundedCall, boundedCalls } from "../../../chain/boundedCalls.ts";
import { ChainUnavailableError } from "../../../chain/connect.ts";
import type { ClaimTransaction } from "./attribute.ts";
import { demandHeader, readHeader } from "./header.ts";
import type { PacedNode } from "./node.ts";
import type { Log } from "./readEvents.ts";

type Place = Pick<Log, "block" | "blockHash">;

/**
 * Makes calls on the state after an event's block, by its hash (EIP-1898). A node that does not take hashes is asked by the
 * number, and one that has forgotten the state for the latest one, in one batch with the block's header: either proves
 * that it has the block.
 *
 * @throws ChainUnavailableError when the node lacks the block, or fails.
 */
export async function callAt(
  node: PacedNode,
  { block, blockHash }: Place,
  calls: readonly BoundedCall[],
): Promise<BoundedAnswer[]> {
  const isThere = async () => demandHeader(blockHash, await readHeader(node, blockHash));
  const isAtNumber = async () => {
    const { hash } = demandHeader(block, await readHeader(node, block));
    if (hash !== blockHash)
      throw new ChainUnavailableError(`The node lags: its block ${block} is another one.`);
  };
  for (const [at, prove] of [
    [{ blockHash }, async () => undefined],
    [toQuantity(block), isAtNumber],
    ["latest", isThere],
  ] as const) {
    const [answers, proof] = await Promise.allSettled([boundedCalls(node, calls, at), prove()]);
    if (proof.status === "rejected") throw proof.reason;
    if (answers.status === "fulfilled") return answers.value;
    const { reason } = answers;
    if (!(reason instanceof ChainUnavailableError && reason.refused) || at === "latest") throw reason;
  }
  throw new Error("unreachable");
}

/**
 * Reads the transaction of an event: by its hash, and from its block where the node does not find it so.
 *
 * @returns `undefined` if the node lags: it has no transaction of this hash in this block.
 */
export async function readTransaction(node: PacedNode, log: Log): Promise<ClaimTransaction | undefined> {
  const index = Number.isSafeInteger(log.transactionIndex) ? log.transactionIndex : 0;
  const place = [log.blockHash, toQuantity(index)];
  for (const [method, params] of [
    ["eth_getTransactionByHash", [log.transactionHash]],
    ["eth_getTransactionByBlockHashAndIndex", place],
  ] as const) {
    const found = await node.request({ method, params }).catch((error: unknown) => {
      if (error instanceof ChainUnavailableError && error.refused) return undefined;
      throw error;
    });
    const { hash, blockHash, input, data, from, to } = Object(found) as Record<string, unknown>;
    const isIt = String(hash).toLowerCase() === log.transactionHash;
    const content = input ?? data;
    if (isIt && String(blockHash).toLowerCase() === log.blockHash && typeof content === "string") {
      return {
        from: String(from),
        to: String(to),
        digits: content.slice(2).toLowerCase(),
        recoveries: new Map(),
      };
    }
  }
  return undefined;
}
