import {
  type BoundedAnswer,
  type BoundedCall,
  boundedCalls,
} from "@hardhat-identity/protocol/chain/boundedCalls";
import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { requireHeader } from "./header.ts";

/**
 * Makes calls on the state after a block, by its hash (EIP-1898). A node that takes no hash, or has forgotten the state, is
 * asked for the latest one, in one batch with the block's header, which proves that it has the block.
 *
 * @throws ChainUnavailableError when the node lacks the block, or fails.
 */
export async function callAt(
  node: Eip1193Connection,
  blockHash: Hex,
  calls: readonly BoundedCall[],
): Promise<BoundedAnswer[]> {
  return await boundedCalls(node, calls, { blockHash }).catch(async (error: unknown) => {
    if (!(error instanceof ChainUnavailableError && error.refused)) throw error;
    const [answers] = await Promise.all([boundedCalls(node, calls), requireHeader(node, blockHash)]);
    return answers;
  });
}
