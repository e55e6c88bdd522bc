import { setTimeout as delay } from "node:timers/promises";

/** Sees to it that what was deleted or replaced leaves the database's log, too. */
export interface Erasure {
  /** Tries at once, and where a reader is in the way again and again, without anybody waiting. */
  request(): Promise<void>;
  /** Whether nothing is left; waits so many milliseconds for it. */
  done(patience: number): Promise<boolean>;
  /** Tries a last time. */
  stop(): Promise<void>;
}

/** Milliseconds between tries: the first, and the longest; and from one look for what other processes left to the next. */
const [firstWait, longestWait, lookEvery] = [50, 5_000, 60_000];

/** @param emptyLog Returns at once. Answers whether the log is empty now. */
export function createErasure(emptyLog: () => Promise<boolean>): Erasure {
  let requested = 0;
  let erased = 0;
  let wait = firstWait;
  let running = Promise.resolve();
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

  function attempt(): Promise<void> {
    running = running.then(async () => {
      // What is deleted while the log is being emptied may still be written to it.
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
    async done(patience) {
      const deadline = performance.now() + patience;
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
