import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { isHex } from "@hardhat-identity/protocol/hex";
import type { Receipt } from "@hardhat-identity/protocol/receipt";
import { IdentityError } from "../identityError.ts";
import { checkInterval, invalidArgument } from "../internal/arguments.ts";
import { poll } from "../internal/poll.ts";
import { readReceipt, replacementFinder } from "../internal/replacement.ts";
import { reasonOf } from "../internal/runWithin.ts";

/** A transaction to wait for. */
export interface WaitForReceiptOptions {
  /** As `sendCall` returned it. */
  readonly hash: string;
  /** Milliseconds between requests; 500 by default. */
  readonly interval?: number | undefined;
  /** Ends the wait; three minutes by default. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits until a transaction has succeeded in a block, which may not be final. If the user speeds the transaction up in
 * the wallet, the receipt has another hash.
 *
 * @throws IdentityError `client_reverted`, `client_replaced` by another transaction in the wallet, `client_outcome_unknown`,
 * `client_invalid_argument`, or the signal's reason.
 * @example
 * ```ts
 * import { sendCall, waitForReceipt } from "@hardhat-identity/client";
 *
 * const hash = await sendCall(window.ethereum, {
 *   from: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
 *   chainId: 84532,
 *   to: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
 *   value: 1_000n,
 * });
 * const receipt = await waitForReceipt(window.ethereum, { hash, signal: AbortSignal.timeout(60_000) });
 * console.log(receipt.status); // 0x1
 * ```
 */
export async function waitForReceipt(
  node: Eip1193Connection,
  { hash, interval = 500, signal }: WaitForReceiptOptions,
): Promise<Receipt> {
  if (!isHex(hash, 32)) throw invalidArgument("hash", "32 bytes as hex after 0x", hash);
  const findReplacement = replacementFinder(node, hash);
  const read = async () => {
    const receipt = await readReceipt(node, hash);
    if (receipt !== undefined) return { receipt, isSame: true };
    // Not every wallet answers the methods that this takes.
    return findReplacement().catch(() => undefined);
  };
  for await (const found of poll(read, { interval: checkInterval(interval), signal, isSent: true })) {
    if (found === undefined) continue;
    const { receipt, isSame } = found;
    const receipts = [receipt];
    if (!isSame) {
      const message = `The transaction was cancelled or replaced in the wallet, by ${receipt.transactionHash}.`;
      throw new IdentityError("client_replaced", message, { receipts });
    }
    if (receipt.status === "0x1") return receipt;
    throw new IdentityError("client_reverted", "The transaction was reverted.", { receipts });
  }
  throw reasonOf(signal);
}
