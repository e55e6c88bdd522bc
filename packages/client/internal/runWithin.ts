/**
 * Runs something with a signal that aborts after some milliseconds, or when the caller's signal does. Rejects then, even
 * if it goes on.
 */
export async function runWithin<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw reasonOf(signal);
  // Safari 16 has no AbortSignal.any, and Node does not stay awake for AbortSignal.timeout.
  const limit = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop!: () => void;
  return new Promise<T>((resolve, reject) => {
    run(limit.signal).then(resolve, reject);
    const end = (reason: unknown) => {
      limit.abort();
      reject(reason);
    };
    stop = () => end(reasonOf(signal));
    signal?.addEventListener("abort", stop);
    const error = new Error(`no answer within ${milliseconds / 1000} seconds`);
    // A timer of more than 24 days would end at once.
    timer = setTimeout(() => end(error), Math.min(milliseconds, 2e9));
  }).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  });
}

/** The reason of a signal that has aborted. React Native's signals have none. */
export const reasonOf = (signal: AbortSignal | undefined): unknown =>
  signal?.reason ?? Object.assign(new Error("aborted"), { name: "AbortError" });
