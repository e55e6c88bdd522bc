/** Milliseconds after which nothing is expected any more: the proxies before the service wait for 15 seconds. */
export const timeLimitMs = 20_000;

/**
 * Waits for an answer until the time limit. It does not stop the operation itself.
 *
 * @param isLate Throws the error for a late answer.
 */
export async function inTime<T>(answer: Promise<T>, isLate: () => never): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeLimitMs);
  });
  try {
    return await Promise.race([answer, limit.then(isLate)]);
  } finally {
    clearTimeout(timer);
  }
}
