/** Milliseconds after which nothing is expected any more: the proxies before the service wait for 15 seconds. */
export const timeLimitMs = 20_000;

/** @throws `error` when the time limit is over. What was asked may go on. */
export async function inTime<T>(asked: Promise<T>, error: Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(error), timeLimitMs);
  });
  try {
    return await Promise.race([asked, limit]);
  } finally {
    clearTimeout(timer);
  }
}
