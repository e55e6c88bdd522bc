import { BoundedMap } from "./boundedMap.ts";
import { LimitError } from "./limitError.ts";

/** What a limit says to a request. */
export interface Allowance {
  /** Whether the request is within the limit. */
  readonly allowed: boolean;
  /** How many more are, until the count begins anew. */
  readonly remaining: number;
  /** Seconds until the count begins anew, from 1 to 60. */
  readonly reset: number;
}

/** Counts requests in this process, minute by minute. */
export interface Limiter {
  /** Requests a minute. */
  readonly limit: number;
  /** Counts a request of a key: a client's address, or a wallet. */
  count(key: string): Allowance;
}

/** Milliseconds. */
const minute = 60_000;

/**
 * Keys that are known at once. The counts of a flood from more addresses are forgotten, oldest first: memory stays
 * bounded, which limiters that keep a timer for each key do not promise.
 */
const knownKeys = 100_000;

/** A limiter that is named in metrics, of so many in a minute. */
export type MakeLimiter = (name: string, limit: number) => Limiter;

/** @param refused Told of each request that is one too many. */
export function createLimiter(limit: number, refused: () => void = () => undefined): Limiter {
  const began = performance.now();
  let counts = new BoundedMap<string, number>(knownKeys);
  let current = 0;
  return {
    limit,
    count(key) {
      const passed = performance.now() - began;
      const now = Math.floor(passed / minute);
      if (now !== current) counts = new BoundedMap(knownKeys);
      current = now;
      const count = (counts.get(key) ?? 0) + 1;
      const allowed = count <= limit;
      if (allowed) counts.set(key, count);
      else refused();
      const reset = Math.ceil(((now + 1) * minute - passed) / 1000);
      return { allowed, remaining: Math.max(0, limit - count), reset };
    },
  };
}

/**
 * @param whose Of what each has a limit of its own, where a client would not know.
 * @throws LimitError `rate_limited` when a request is not within the limit.
 */
export function demandAllowed({ allowed, reset }: Allowance, limit: number, whose = ""): void {
  if (allowed) return;
  throw new LimitError("rate_limited", `At most ${limit} requests a minute${whose} are answered.`, reset);
}
