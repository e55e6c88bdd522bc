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

/** Milliseconds between attempts while data is left, and between looks for data that other processes left. */
const [retryEveryMs, lookEveryMs] = [1_000, 60_000];

/** @param emptyLog Empties the log without waiting. Returns whether it is empty now. */
export function createErasure(emptyLog: () => Promise<boolean>): Erasure {
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

  async function request(): Promise<void> {
    requested++;
    await attempt();
  }

  const retry = setInterval(() => void (erased !== requested && attempt()), retryEveryMs).unref();
  const look = setInterval(() => void request(), lookEveryMs).unref();

  return {
    request,
    async done(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      while (erased !== requested && performance.now() < deadline) {
        await delay(50);
        await attempt();
      }
      return erased === requested;
    },
    async stop() {
      clearInterval(retry);
      clearInterval(look);
      await attempt();
    },
  };
}
