import { setTimeout as delay } from "node:timers/promises";

/** Removes deleted and replaced data from the database's log. */
export interface Erasure {
  /** Tries once. If a reader prevents it, further attempts follow in the background. */
  request(): Promise<void>;
  /** Returns whether nothing is left. Waits for it that long at most. */
  done(timeoutMs: number): Promise<boolean>;
  /** Tries a last time and ends all further attempts. */
  stop(): Promise<void>;
}

/** Milliseconds: the first and the longest wait between attempts, and the interval for data left by other processes. */
const [firstWait, longestWait, lookEvery] = [50, 5_000, 60_000];

/** @param emptyLog Empties the log without waiting. Returns whether it is empty now. */
export function createErasure(emptyLog: () => Promise<boolean>): Erasure {
  let requested = 0;
  let erased = 0;
  let wait = firstWait;
  let running = Promise.resolve();
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

  function attempt(): Promise<void> {
    running = running.then(async () => {
      // Data that is deleted during the attempt may still get into the log.
      const upTo = requested;
      if (await emptyLog().catch(() => false)) erased = upTo;
    });
    return running;
  }

  async function attemptUntilDone(): Promise<void> {
    await attempt();
    if (erased === requested) wait = firstWait;
    else if (!stopped && retry === undefined) {
      retry = setTimeout(() => {
        retry = undefined;
        void attemptUntilDone();
      }, wait).unref();
      wait = Math.min(2 * wait, longestWait);
    }
  }

  async function request(): Promise<void> {
    requested++;
    await attemptUntilDone();
  }

  const look = setInterval(() => void request(), lookEvery).unref();

  return {
    request,
    async done(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      while (erased !== requested && performance.now() < deadline) {
        await delay(firstWait);
        await attempt();
      }
      return erased === requested;
    },
    async stop() {
      stopped = true;
      clearInterval(look);
      clearTimeout(retry);
      await attempt();
    },
  };
}
