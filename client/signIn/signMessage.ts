import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Hex } from "../../protocol/hex.ts";
import { checkAddress, invalidArgument, isHex } from "../internal/arguments.ts";
import { callRpc, unreadable } from "../internal/rpc.ts";

/**
 * Asks a wallet to sign a message (`personal_sign`).
 *
 * @param options.address The account that signs.
 * @param options.message The text from `buildSignInMessage`.
 * @returns 65 bytes; from a contract wallet (ERC-1271, ERC-6492) any number, or none if it signed on chain.
 * @throws IdentityError `INVALID_ARGUMENT`, `USER_REJECTED`, `RPC_ERROR`, `INVALID_RESPONSE`.
 * @example
 * ```ts
 * import { buildSignInMessage, signMessage } from "@hardhat-identity/client";
 *
 * const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
 * const message = buildSignInMessage({
 *   address,
 *   consumer: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
 *   chainId: 84532,
 *   domain: "app.example",
 *   uri: "https://app.example/claim",
 * });
 * const signature = await signMessage(window.ethereum, { address, message });
 * console.log(signature.length); // 132
 * ```
 */
export async function signMessage(
  wallet: Eip1193Connection,
  options: { readonly address: string; readonly message: string },
): Promise<Hex> {
  const address = checkAddress("address", options.address);
  if (typeof options.message !== "string") throw invalidArgument("message", "a text");
  const encoded = `0x${bytesToHex(utf8ToBytes(options.message))}`;
  const signature = await callRpc(wallet, "personal_sign", [encoded, address], { retryCount: 0 });
  if (!isHex(signature)) throw unreadable("personal_sign");
  return signature;
}
