import { isAddress } from "../../protocol/address.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Hex } from "../../protocol/hex.ts";
import { IdentityError } from "../identityError.ts";
import { callRpc } from "../internal/callRpc.ts";
import { invalidArgument } from "../internal/invalidArgument.ts";
import { isHex } from "../internal/isHex.ts";
import { type Block, checkBlock } from "./block.ts";
import { checkPosition } from "./checkPosition.ts";

/**
 * Reads one storage slot (`eth_getStorageAt`). The arguments are checked before anything is sent, for nodes differ in
 * what they let pass. With `pending` the value includes what pre-confirmed transactions have changed.
 *
 * @param options.address The contract, 20 bytes hex.
 * @param options.position The slot: a hex integer of up to 32 bytes, `0x5` or padded.
 * @param options.block A hex block number, or a tag.
 * @returns The slot's 32 bytes.
 * @throws IdentityError `INVALID_ARGUMENT` naming the argument, `RPC_ERROR`, `INVALID_RESPONSE`.
 * @example
 * ```ts
 * import { getStorageAt } from "hardhat-identity/client";
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
  options: { readonly address: string; readonly position: string; readonly block: Block },
): Promise<Hex> {
  const { address } = options;
  if (typeof address !== "string" || !isAddress(address)) {
    throw invalidArgument("address", "20 bytes as hex after 0x", address);
  }
  const position = checkPosition("position", options.position);
  const word = await callRpc(node, "eth_getStorageAt", [address, position, checkBlock(options.block)]);
  if (!isHex(word, 32)) {
    throw new IdentityError("INVALID_RESPONSE", "The node's answer to eth_getStorageAt is not 32 bytes.");
  }
  return word;
}
