import { isAddress } from "@hardhat-identity/protocol/address";
import { bytesToHex, utf8ToBytes } from "@hardhat-identity/protocol/bytes";
import { isHex } from "@hardhat-identity/protocol/hex";
import { askNode } from "../askNode.ts";
import { readText, refuse } from "../fields.ts";
import type { WalletState } from "../state.ts";

/**
 * `personal_sign`, as wallets take it: also with a plain text, with the address first, or with a password, all of which
 * the node refuses.
 */
export async function personalSign(state: WalletState, params: unknown): Promise<unknown> {
  if (!Array.isArray(params) || params.length < 2) {
    return refuse("params", "an array with a message and an address", params);
  }
  const [message, account] = isAddress(params[0]) && !isAddress(params[1]) ? [params[1], params[0]] : params;
  const text = readText(message, "params[0]");
  const bytes = isHex(text) ? text : `0x${bytesToHex(utf8ToBytes(text))}`;
  // The same for a node, which takes it in this order.
  return askNode(state, "eth_sign", [account, bytes]);
}
