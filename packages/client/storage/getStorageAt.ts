import { isAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { checkPosition, invalidArgument } from "../internal/arguments.ts";
import { readOnChain } from "../internal/rpc.ts";
import { readSlot } from "./readSlot.ts";

const tags = ["latest", "pending", "safe", "finalized", "earliest"] as const;

/** A block's number, hex without leading zeros, or `latest`, `pending`, `safe`, `finalized` or `earliest`. */
export type Block = Hex | (typeof tags)[number];

/**
 * Reads one storage slot, 32 bytes (`eth_getStorageAt`). At `pending`, it includes the changes of transactions that are
 * not yet in a block, as far as the node knows them; a node that has no pending block is read at `latest`.
 *
 * @param options.position A hex integer of up to 32 bytes, padded or not.
 * @param options.chainId The chain to read; by default, the current chain of the node or wallet.
 * @throws IdentityError `client_invalid_argument`, `client_wrong_chain`, `client_rpc_error`, `client_invalid_response`.
 * @example
 * ```ts
 * import { getStorageAt } from "@hardhat-identity/client";
 *
 * const word = await getStorageAt(window.ethereum, {
 *   address: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
 *   position: "0x0",
 *   block: "pending",
 * });
 * console.log(BigInt(word)); // 0
 * ```
 */
export async function getStorageAt(
  node: Eip1193Connection,
  options: {
    readonly address: string;
    readonly position: string;
    readonly block: Block;
    readonly chainId?: number | undefined;
  },
): Promise<Hex> {
  const { address } = options;
  if (typeof address !== "string" || !isAddress(address)) {
    throw invalidArgument("address", "20 bytes as hex after 0x", address);
  }
  const position = checkPosition("position", options.position);
  const slot = { address, position, block: checkBlock(options.block) };
  const read = async () => (await readSlot(node, slot)).word;
  const { chainId } = options;
  return chainId === undefined ? await read() : await readOnChain(node, chainId, read);
}

/** Refuses a value that is neither a tag nor the hex number of a block. */
function checkBlock(value: unknown): Block {
  const tag = tags.find((known) => known === value);
  if (tag !== undefined) return tag;
  // A JSON-RPC quantity; some nodes refuse leading zeros, and no block number is above 64 bits.
  if (typeof value === "string" && /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/.test(value)) {
    return value.toLowerCase() as Hex;
  }
  throw invalidArgument("block", `a hex block number such as 0x1b4, or one of ${tags.join(", ")}`, value);
}
