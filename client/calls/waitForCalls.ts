import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Receipt } from "../../protocol/receipt.ts";
import { IdentityError } from "../identityError.ts";
import { callRpc } from "../internal/callRpc.ts";
import { checkInterval } from "../internal/checkInterval.ts";
import { invalidArgument } from "../internal/invalidArgument.ts";
import { poll } from "../internal/poll.ts";

/** Which batch to wait for, and for how long. */
export interface WaitForCallsOptions {
  /** As `sendCalls` returned it. */
  readonly batchId: string;
  /** Milliseconds between two readings; 500 by default. */
  readonly interval?: number | undefined;
  /** Gives up: `AbortSignal.timeout(60_000)` does so after a minute. Without it the wait may last for ever. */
  readonly signal?: AbortSignal | undefined;
}

/** What a wallet says of a batch that was executed. */
export interface CallsStatus {
  /** EIP-5792: 200 for a batch that was executed in full. */
  readonly status: number;
  /** Whether it was executed as one. */
  readonly atomic: boolean;
  /** One for an atomic batch, or one for each call. */
  readonly receipts: readonly Receipt[];
}

/**
 * Waits until a batch is executed (`wallet_getCallsStatus`). A wallet that fails or hangs for a while is asked again.
 *
 * @returns The status of a batch that was executed in full.
 * @throws IdentityError `BATCH_FAILED` (nothing was sent), `REVERTED` (nothing remains), `PARTIALLY_REVERTED` (some
 * calls were executed; only where `atomicRequired` was `false`), the latter two with `receipts`; `INVALID_ARGUMENT`,
 * `RPC_ERROR` (5730 for an unknown batch); and the signal's reason.
 * @example
 * ```ts
 * import { sendCalls, waitForCalls } from "hardhat-identity/client";
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
  connection: Eip1193Connection,
  { batchId, interval = 500, signal }: WaitForCallsOptions,
): Promise<CallsStatus> {
  if (typeof batchId !== "string") throw invalidArgument("batchId", "a text", batchId);
  const read = async () => {
    const { status, atomic, receipts } = Object(
      await callRpc(connection, "wallet_getCallsStatus", [batchId]),
    );
    if (typeof status !== "number") {
      throw new IdentityError(
        "INVALID_RESPONSE",
        "The wallet's answer to wallet_getCallsStatus has no status.",
      );
    }
    return { status, atomic: atomic === true, receipts: Array.isArray(receipts) ? receipts : [] };
  };
  for await (const found of poll(read, { interval: checkInterval(interval), signal })) {
    const { status, receipts } = found;
    if (status < 200) continue;
    if (status < 300) return found;
    const [code, outcome] =
      status < 500
        ? (["BATCH_FAILED", "was not sent"] as const)
        : status < 600
          ? (["REVERTED", "was reverted"] as const)
          : (["PARTIALLY_REVERTED", "was executed in part"] as const);
    throw new IdentityError(code, `The batch ${outcome} (status ${status}).`, { receipts });
  }
  // Polling ends by itself only when the signal aborts.
  throw signal?.reason;
}
