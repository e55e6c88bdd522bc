/**
 * Runs something with a signal that aborts after some milliseconds, or when the caller's signal does. Rejects then, even
 * if it goes on.
 */
export async function within<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // React Native's signals have no throwIfAborted.
  if (signal?.aborted) throw signal.reason;
  // Safari 16 has no AbortSignal.any, and Node does not stay awake for AbortSignal.timeout.
  const limit = new AbortController();
  const running = run(limit.signal);
  const stop = () => limit.abort();
  signal?.addEventListener("abort", stop);
  const error = new Error(`no answer within ${milliseconds / 1000} seconds`);
  const timer = setTimeout(() => limit.abort(error), milliseconds);
  try {
    return await new Promise((resolve, reject) => {
      limit.signal.addEventListener("abort", () => reject(limit.signal.reason));
      running.then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
