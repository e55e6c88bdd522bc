import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds between attempts while data is left. */
const retryEveryMs = 1_000;

/** Milliseconds between looks for data that other processes left. */
const lookEveryMs = 60_000;

/**
 * Removes deleted and replaced data from the database's log.
 *
 * @param emptyLog Empties the log without waiting. Returns whether it is empty now.
 */
export function createErasure(emptyLog: () => Promise<boolean>) {
  let requested = 0;
  let erased = 0;
  let running = Promise.resolve();

  function attempt(): Promise<void> {
    running = running.then(async () => {
      // Data that is deleted during the attempt may still get into the log.
      const upTo = requested;
      if (await emptyLog().catch(() => false)) erased = upTo;
    });
    return running;
  }

  /** Tries once. If a reader prevents it, further attempts follow in the background. */
  async function request(): Promise<void> {
    requested++;
    await attempt();
  }

  const retry = setInterval(() => void (erased !== requested && attempt()), retryEveryMs).unref();
  const look = setInterval(() => void request(), lookEveryMs).unref();

  return {
    request,
    /** Returns whether nothing is left. Waits for it that long at most. */
    async done(timeoutMs: number): Promise<boolean> {
      const deadline = performance.now() + timeoutMs;
      while (erased !== requested && performance.now() < deadline) {
        await delay(50);
        await attempt();
      }
      return erased === requested;
    },
    /** Tries a last time and ends all further attempts. */
    async stop(): Promise<void> {
      clearInterval(retry);
      clearInterval(look);
      await attempt();
    },
  };
}
