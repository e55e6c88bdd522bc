/**
 * What others than the known consumers may use up together: of the node's calls and of the watch's time. Anybody can emit
 * events at little cost, so they share it, and what exceeds it is judged in part.
 */
export interface Budget {
  /** Takes so many calls, if they are left. */
  takeCalls(calls: number): boolean;
  /** Whether time is left. */
  hasTime(): boolean;
  /** Counts what a work takes. */
  spend<T>(work: () => Promise<T>): Promise<T>;
}

/** Calls: at once, and per second. Milliseconds: at once, and per second. */
const [maxCalls, callsPerSecond, maxMs, msPerSecond] = [60, 4, 2_000, 400];

export function openBudget(): Budget {
  let [calls, ms, filledAt] = [maxCalls, maxMs, performance.now()];

  function fill(): void {
    const now = performance.now();
    const seconds = (now - filledAt) / 1_000;
    calls = Math.min(maxCalls, calls + seconds * callsPerSecond);
    ms = Math.min(maxMs, ms + seconds * msPerSecond);
    filledAt = now;
  }

  let began: number | undefined;
  return {
    takeCalls(wanted) {
      fill();
      if (calls < wanted) return false;
      calls -= wanted;
      return true;
    },
    hasTime() {
      return ms > (began === undefined ? 0 : performance.now() - began);
    },
    async spend(work) {
      fill();
      began = performance.now();
      try {
        return await work();
      } finally {
        ms -= performance.now() - began;
        began = undefined;
        filledAt = performance.now();
      }
    },
  };
}
