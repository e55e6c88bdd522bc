import { uintWord } from "@hardhat-identity/protocol/abiWords";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { bytesToHex, utf8ToBytes } from "@hardhat-identity/protocol/bytes";
import { encodeMessage } from "@hardhat-identity/protocol/eip191";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type Hex, isHex } from "@hardhat-identity/protocol/hex";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { IdentityError } from "../identityError.ts";
import { checkAddress, invalidArgument } from "../internal/arguments.ts";
import { attempt, callRpc, readChainId, unreadable } from "../internal/rpc.ts";
import { runWithin } from "../internal/runWithin.ts";
import { asViemClient, findOwnAccount } from "../internal/viem.ts";

/**
 * Asks a wallet to sign a message (`personal_sign`). A viem client with an account of its own signs by itself.
 *
 * @param options.address The account that signs.
 * @param options.message The text from `buildSignInMessage`.
 * @returns 65 bytes, or 64 (EIP-2098); from a contract wallet (ERC-1271, ERC-6492) any number, or none if it signed on chain.
 * @throws IdentityError `client_invalid_argument`, `client_user_rejected`, `client_wrong_account` if the wallet signed
 * with another account, `client_rpc_error`, `client_invalid_response`.
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
  const { message } = options;
  const account = findOwnAccount(asViemClient(wallet), address);
  const encoded = `0x${bytesToHex(utf8ToBytes(message))}`;
  const answer = account
    ? await attempt("signMessage", () => account.signMessage({ message }))
    : await callRpc(wallet, "personal_sign", [encoded, address], { retryCount: 0 });
  // Some wallets leave the prefix out.
  const signature = String(answer).replace(/^(?=[0-9a-f]{130}$)/i, "0x");
  if (!isHex(signature)) throw unreadable("personal_sign");
  if (account) return signature;
  await runWithin(checkLimitMs, undefined, () => checkSigner(wallet, address, message, signature)).catch(
    (error) => {
      // Not every wallet answers what this asks.
      if (error.code === "client_wrong_account") throw error;
    },
  );
  return signature;
}

/** Milliseconds to wait for the check of who signed. */
const checkLimitMs = 5_000;

/**
 * Refuses the signature of another account, such as the one that the user changed to while the wallet asked. An account
 * with code may have its owner sign (ERC-1271). The service has the last word.
 */
async function checkSigner(
  wallet: Eip1193Connection,
  address: Hex,
  message: string,
  signature: Hex,
): Promise<void> {
  const signer = await recoverSigner(wallet, message, signature);
  if (signer === undefined || signer === address) return;
  const code = await callRpc(wallet, "eth_getCode", [address, "latest"]);
  const chainId = await readChainId(wallet);
  // EIP-7702: a delegated account still has its key.
  const hasKey = /^0x(?:ef0100.*)?$/i.test(String(code));
  if (!hasKey || !message.includes(`\nChain ID: ${chainId}\n`)) return;
  const wanted = `choose ${address} in the wallet, and sign again.`;
  throw new IdentityError(
    "client_wrong_account",
    `The wallet signed with ${signer}, not with ${address}: ${wanted}`,
  );
}

/** Recovers the account that signed, by the precompiled contract at address 1. */
async function recoverSigner(
  wallet: Eip1193Connection,
  message: string,
  signature: Hex,
): Promise<string | undefined> {
  if (!isHex(signature, 65)) return undefined;
  // Some wallets have 0 and 1 for 27 and 28.
  const v = uintWord(27 + (Number.parseInt(signature.slice(130), 16) % 27));
  const data = `0x${bytesToHex(keccak_256(encodeMessage(message)))}${v}${signature.slice(2, 130)}`;
  const answer = await callRpc(wallet, "eth_call", [{ to: `0x${"0".repeat(39)}1`, data }, "latest"]);
  return isHex(answer, 32) ? checksumAddress(`0x${answer.slice(26)}`) : undefined;
}
