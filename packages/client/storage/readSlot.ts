import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { atPending } from "@hardhat-identity/protocol/pendingBlock";
import { callRpc, unreadable } from "../internal/rpc.ts";

/** A slot's 32 bytes, and the block at which they were read. */
interface Reading {
  readonly word: Hex;
  /** `latest` in place of `pending` if the node has no pending block. */
  readonly block: string;
}

/**
 * Reads a storage slot by checked parameters; at `latest` if the node refuses `pending`.
 *
 * @param hasAnswered Whether the node has answered at this block before, and so does not refuse it.
 */
export function readSlot(
  node: Eip1193Connection,
  slot: { readonly address: string; readonly position: string; readonly block: string },
  hasAnswered = false,
): Promise<Reading> {
  const read = async (block: string): Promise<Reading> => {
    const word = await callRpc(node, "eth_getStorageAt", [slot.address, slot.position, block]);
    // Some nodes leave out leading zeros.
    if (typeof word !== "string" || !/^0x[0-9a-fA-F]{0,64}$/.test(word)) throw unreadable("eth_getStorageAt");
    return { word: `0x${word.slice(2).padStart(64, "0")}`, block };
  };
  return hasAnswered || slot.block !== "pending" ? read(slot.block) : atPending(read);
}
