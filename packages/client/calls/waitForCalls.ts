import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { CallsStatus } from "@hardhat-identity/protocol/eip5792";
import { isHex } from "@hardhat-identity/protocol/hex";
import type { Receipt } from "@hardhat-identity/protocol/receipt";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { IdentityError, type IdentityErrorCode } from "../identityError.ts";
import { checkInterval, invalidArgument } from "../internal/arguments.ts";
import { poll } from "../internal/poll.ts";
import { readSuccess } from "../internal/replacement.ts";
import { callRpc, reverted, unreadable } from "../internal/rpc.ts";
import { reasonOf } from "../internal/runWithin.ts";

/** A batch to wait for. */
export interface WaitForCallsOptions {
  /** As `sendCalls` returned it. */
  readonly batchId: string;
  /** Milliseconds between requests; 500 by default. */
  readonly interval?: number | undefined;
  /** Ends the wait; three minutes by default. */
  readonly signal?: AbortSignal | undefined;
}

/** A batch that was executed in full. */
export interface ExecutedCalls extends Pick<CallsStatus, "atomic" | "receipts"> {
  /** A code from 200 to 299. */
  readonly status: number;
}

// EIP-5792 gives a status its meaning by the first of its three digits: 4 for a batch that was not sent. Some wallets
// say 3 for that.
const failures = new Map<number, readonly [IdentityErrorCode, string]>([
  [5, ["client_reverted", "was reverted"]],
  [6, ["client_partially_reverted", "was executed in part"]],
]);
// An older draft of EIP-5792.
const named: Readonly<Record<string, number>> = { PENDING: 100, CONFIRMED: 200 };

/**
 * Waits until a batch is executed in full (`wallet_getCallsStatus`).
 *
 * @throws IdentityError `client_batch_failed` (nothing was sent), `client_reverted`, `client_verification_expired` or
 * `client_pace_exceeded` (nothing remains; with `revertData`, if the wallet knows it), `client_partially_reverted`
 * (some calls were executed), `client_outcome_unknown` (also where the wallet does not tell; `rpcCode` is 5730 if it
 * does not know the batch), `client_invalid_argument`, or the signal's reason.
 * @example
 * ```ts
 * import { sendCalls, waitForCalls } from "@hardhat-identity/client";
 *
 * const { batchId } = await sendCalls(window.ethereum, {
 *   from: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
 *   chainId: 84532,
 *   atomicRequired: false,
 *   calls: [{ to: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", value: 1_000n }],
 * });
 * const { receipts } = await waitForCalls(window.ethereum, { batchId, signal: AbortSignal.timeout(60_000) });
 * console.log(receipts.length); // 1
 * ```
 */
export async function waitForCalls(
  wallet: Eip1193Connection,
  { batchId, interval = 500, signal }: WaitForCallsOptions,
): Promise<ExecutedCalls> {
  if (typeof batchId !== "string") throw invalidArgument("batchId", "a text", batchId);
  const read = async () => readStatus(await callRpc(wallet, "wallet_getCallsStatus", [batchId]));
  for await (const found of poll(read, { interval: checkInterval(interval), signal, isSent: true })) {
    const { status, receipts } = found;
    const digit = Math.floor(status / 100);
    if (digit === 1) continue;
    if (digit === 2) return { status, atomic: found.atomic, receipts };
    const [code, outcome] = failures.get(digit) ?? ["client_batch_failed", "was not sent"];
    const sentence = `The batch ${outcome} (status ${status}).`;
    const details = { receipts, revertData: found.revertData };
    throw code === "client_reverted"
      ? reverted(sentence, details)
      : new IdentityError(code, sentence, details);
  }
  throw reasonOf(signal);
}

function readStatus(answer: unknown): ExecutedCalls & { revertData: string | undefined } {
  const { status: told, atomic, receipts: list, revertData: given } = Object(answer);
  const revertData = isHex(given) ? given : readRpcError(answer).data;
  let status = named[told] ?? Number(told);
  if (!(status >= 100 && status < 700)) throw unreadable("wallet_getCallsStatus");
  const receipts: Receipt[] = Array.isArray(list) ? list.filter((each) => Object(each) === each) : [];
  if (status >= 200 && status < 300) {
    // In the older draft, a confirmed batch may be a reverted one. Today's status tells by itself, and some wallets leave
    // it out of the receipts.
    const isTold = (receipt: Receipt) => receipt.status !== undefined || told in named;
    const outcomes = receipts.filter(isTold).map((receipt) => readSuccess(receipt.status));
    if (outcomes.includes(false)) status = outcomes.includes(true) ? 600 : 500;
    else if (outcomes.includes(undefined)) throw unreadable("wallet_getCallsStatus");
  }
  return { status, atomic: atomic === true, receipts, revertData };
}
