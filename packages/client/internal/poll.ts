import { IdentityError } from "../identityError.ts";
import { outcomeUnknown } from "./rpc.ts";
import { runWithin } from "./runWithin.ts";

/** Options for polling. */
interface PollOptions {
  /** Milliseconds. */
  readonly interval: number;
  readonly signal: AbortSignal | undefined;
  /** Whether something was sent before: then no error says what became of it. Without a signal, it ends after a while. */
  readonly isSent?: boolean;
}

// How long to wait for a block, if the caller does not say.
const waitLimitMs = 180_000;
// The timeout of a request and the longest pause after failures, in intervals: 10 s and 5 s at 200 ms.
const readIntervals = 50;
const longestPauseIntervals = 25;
// The least timeout of a request: a short interval makes no node faster.
const readMs = 10_000;
// Malformed, unknown or unauthorized requests and unknown batches: asking again changes nothing.
const finalRpcCodes: readonly unknown[] = [-32600, -32601, -32602, 4001, 4100, 4200, 5730];

/**
 * Polls, one request after the other, until the caller stops or the signal aborts. Skips a request that fails or hangs,
 * with growing pauses, unless its error says that the next would fail as well.
 *
 * @throws IdentityError `client_rpc_error`, `client_outcome_unknown`: what is waited for may still happen.
 */
export async function* poll<T>(
  read: () => Promise<T>,
  { interval, signal, isSent }: PollOptions,
): AsyncGenerator<T, void, undefined> {
  const timeout = Math.max(readMs, readIntervals * interval);
  let waited = 0;
  let failures = 0;
  while (!signal?.aborted) {
    const started = performance.now();
    let failure: unknown;
    try {
      const value = await runWithin(timeout, signal, read);
      failures = 0;
      yield value;
    } catch (error) {
      failures++;
      failure = error;
    }
    if (signal?.aborted) return;
    if (failure instanceof IdentityError && isFinal(failure)) {
      const isKnown = !isSent && failure.code === "client_rpc_error";
      throw isKnown ? failure : outcomeUnknown(failure.message, failure);
    }
    if (isSent && signal === undefined && waited >= waitLimitMs) {
      throw outcomeUnknown("There is no result after 180 seconds.", { cause: failure });
    }
    const pause = Math.min(2 ** failures, longestPauseIntervals) * interval;
    await wait(Math.max(0, pause + started - performance.now()), signal);
    // A device that slept still has the rest of its time.
    waited += Math.min(timeout + pause, performance.now() - started);
  }
}

// A broken gateway makes the request fail. An answer of the wrong shape comes from the node or wallet itself, which
// would give it again.
const isFinal = ({ code, rpcCode }: IdentityError): boolean =>
  code === "client_invalid_response" || finalRpcCodes.includes(rpcCode);

/** Resolves after some milliseconds, or as soon as the signal aborts. */
export const wait = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  runWithin(milliseconds, signal, () => new Promise<never>(() => {})).catch(() => {});
