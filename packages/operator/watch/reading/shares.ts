/**
 * A share of the watch's time, in milliseconds, that refills over time. Anybody can emit events at little cost, so each
 * contract for which a service has signed has its own share, and all unknown contracts have one together. Beyond its
 * share, a block's events are judged only in part.
 */
export interface Share {
  /** Takes so many milliseconds, if they are left, and leaves so many. */
  take(ms: number, leaving?: number): boolean;
  /** Takes so many milliseconds that were spent already, but leaves so many of those that are left. */
  spend(ms: number, leaving: number): void;
}

/** Milliseconds of a share that nobody has used for a while. */
const mostMs = 2_000;

/** Milliseconds that it gains a second. */
const msPerSecond = 400;

/** The cost of a node call, in milliseconds of a share. */
export const callMs = 30;

/** The cost of a claim that is told without a signer. */
export const tellMs = 50;

export function openShare(): Share {
  let [left, filledAt] = [mostMs, performance.now()];
  function refill(): void {
    const now = performance.now();
    left = Math.min(mostMs, left + ((now - filledAt) / 1_000) * msPerSecond);
    filledAt = now;
  }
  return {
    take(ms, leaving = 0) {
      refill();
      if (left < ms + leaving) return false;
      left -= ms;
      return true;
    },
    spend(ms, leaving) {
      refill();
      left = Math.max(Math.min(left, leaving), left - ms);
    },
  };
}

/** The share of a consumer that the operator named. */
export const unlimited: Share = { take: () => true, spend: () => undefined };
