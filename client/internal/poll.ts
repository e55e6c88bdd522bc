import { IdentityError } from "../identityError.ts";

/** Options for polling, in milliseconds. */
interface PollOptions {
  readonly interval: number;
  readonly signal: AbortSignal | undefined;
}

// The timeout of a request and the longest pause after failures, in intervals: 10 s and 5 s at 200 ms.
const readLimit = 50;
const longestPause = 25;
// Malformed, unknown or unauthorized requests and unknown batches: asking again changes nothing.
const finalRpcCodes: readonly unknown[] = [-32600, -32601, -32602, 4001, 4100, 4200, 5730];

/**
 * Polls, one request after the other, until the caller stops or the signal aborts. Skips a request that fails or hangs,
 * with growing pauses, unless its error says that the next would fail as well.
 */
export async function* poll<T>(
  read: () => Promise<T>,
  { interval, signal }: PollOptions,
): AsyncGenerator<T, void, undefined> {
  let failures = 0;
  while (!signal?.aborted) {
    const started = Date.now();
    let reading: { value: T } | undefined;
    try {
      reading = {
        value: await orAborted(orAborted(read(), AbortSignal.timeout(readLimit * interval)), signal),
      };
      failures = 0;
    } catch (error) {
      if (error instanceof IdentityError && isFinal(error)) throw error;
      failures++;
    }
    if (reading) yield reading.value;
    const pause = failures === 0 ? interval : Math.min(2 ** failures, longestPause) * interval;
    await wait(Math.max(0, pause - (Date.now() - started)), signal).catch(() => {});
  }
}

// A broken gateway makes the request fail. An answer of the wrong shape comes from the node or wallet itself, which
// would give it again.
const isFinal = ({ code, rpcCode }: IdentityError): boolean =>
  code === "INVALID_RESPONSE" || finalRpcCodes.includes(rpcCode);

/** Settles as the promise does, or rejects with the signal's reason as soon as that aborts. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Resolves after some milliseconds, or rejects with the signal's reason as soon as that aborts. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
