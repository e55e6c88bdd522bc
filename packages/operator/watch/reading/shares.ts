/**
 * A share of the watch's time, in milliseconds, that refills over time. Anybody can emit events at little cost, so each
 * contract for which a service has signed has its own share, and all unknown contracts have one together. Beyond its
 * share, a block's events are judged only in part. The searches for signatures of all contracts that nobody named have
 * one together, too.
 */
export interface Share {
  /** Takes so many milliseconds, if they are left, and leaves so many. */
  take(ms: number, leaving?: number): boolean;
  /** Takes so many milliseconds that were spent already, but leaves so many of those that are left. */
  spend(ms: number, leaving: number): void;
}

/** Milliseconds of a share that nobody has used for a while, and those that it gains a second. */
const usual = { mostMs: 2_000, msPerSecond: 400 };

/** The same of the share of all searches together. A quick search at each of 500 contracts takes no more. */
export const ofSearches = { mostMs: 6_000, msPerSecond: 600 };

/** The cost of a node call, in milliseconds of a share. */
export const callMs = 30;

/** The cost of a claim that is told without a signer. */
export const tellMs = 50;

export function openShare({ mostMs, msPerSecond } = usual): Share {
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

/** A share for what must not exceed either of two shares. Nothing is left once one of them is used up. */
export const both = (one: Share, other: Share): Share => ({
  take: (ms, leaving) => other.take(0, Math.max(ms, 1)) && one.take(ms, leaving) && other.take(ms),
  spend(ms, leaving) {
    one.spend(ms, leaving);
    other.spend(ms, 0);
  },
});

/** The share of a consumer that the operator named. */
export const unlimited: Share = { take: () => true, spend: () => undefined };
