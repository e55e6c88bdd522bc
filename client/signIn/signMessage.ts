import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Hex } from "../../protocol/hex.ts";
import { hashMessage, recoverAddress } from "../../protocol/recoverAddress.ts";
import { IdentityError } from "../identityError.ts";
import { checkAddress, invalidArgument, isHex } from "../internal/arguments.ts";
import { attempt, callRpc, readOnChain, unreadable } from "../internal/rpc.ts";
import { asViemClient, findOwnAccount } from "../internal/viem.ts";

/**
 * Asks a wallet to sign a message (`personal_sign`). A viem client with an account of its own signs by itself.
 *
 * @param options.address The account that signs.
 * @param options.message The text from `buildSignInMessage`.
 * @returns 65 bytes; from a contract wallet (ERC-1271, ERC-6492) any number, or none if it signed on chain.
 * @throws IdentityError `INVALID_ARGUMENT`, `USER_REJECTED`, `WRONG_ACCOUNT` if the wallet signed with another account,
 * `RPC_ERROR`, `INVALID_RESPONSE`.
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
  const signature = account
    ? await attempt("signMessage", () => account.signMessage({ message }))
    : await callRpc(wallet, "personal_sign", [encoded, address], { retryCount: 0 });
  if (!isHex(signature)) throw unreadable("personal_sign");
  await checkSigner(wallet, { address, message, signature });
  return signature;
}

/**
 * Refuses the signature of another account, such as the one that the user changed to while the wallet asked. An account
 * with code may have its owner sign (ERC-1271): the service asks it.
 */
async function checkSigner(
  wallet: Eip1193Connection,
  {
    address,
    message,
    signature,
  }: { readonly address: Hex; readonly message: string; readonly signature: Hex },
): Promise<void> {
  const signer = recoverAddress(hashMessage(message), signature);
  if (signer === undefined || signer === address) return;
  if (!(await isAccountOf(wallet, signer)) && !(await isWithoutCode(wallet, address, message))) return;
  throw new IdentityError(
    "WRONG_ACCOUNT",
    `The wallet signed with ${signer}, not with ${address}: choose ${address} in the wallet, and sign again.`,
  );
}

async function isAccountOf(wallet: Eip1193Connection, signer: string): Promise<boolean> {
  const accounts = await callRpc(wallet, "eth_accounts", []).catch(() => []);
  return (
    Array.isArray(accounts) && accounts.some((each) => String(each).toLowerCase() === signer.toLowerCase())
  );
}

/** Whether the account has no code on the chain that the message names. A delegated account has its key (EIP-7702). */
async function isWithoutCode(wallet: Eip1193Connection, address: string, message: string): Promise<boolean> {
  const chainId = Number(/^Chain ID: (\d+)$/m.exec(message)?.[1]);
  if (!(chainId > 0)) return false;
  const read = () => callRpc(wallet, "eth_getCode", [address, "latest"]);
  const code = await readOnChain(wallet, chainId, read).catch(() => undefined);
  return code === "0x" || String(code).toLowerCase().startsWith("0xef0100");
}
