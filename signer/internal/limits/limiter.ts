import { BoundedMap } from "../../../chain/boundedMap.ts";
import { LimitError } from "./limitError.ts";

/** The outcome of counting a request. */
export interface Allowance {
  /** Whether the request is within the limit. */
  readonly allowed: boolean;
  /** Requests left until the count starts again. */
  readonly remaining: number;
  /** Seconds until the count starts again, from 1 to 60. */
  readonly reset: number;
}

/** Counts the requests of each minute by key, in this process. */
export interface Limiter {
  /** Requests a minute. */
  readonly limit: number;
  /** Counts a request under a key, such as a client's address or a wallet. */
  count(key: string): Allowance;
}

/** Milliseconds. */
const minuteMs = 60_000;

/**
 * The greatest number of keys. Beyond it, the oldest counts are forgotten, so that a flood from many addresses cannot
 * exhaust memory. Limiters that keep a timer for each key do not promise that.
 */
const maxKeys = 100_000;

/** Creates a limiter with a name for the metrics and a limit of requests a minute. */
export type MakeLimiter = (name: string, limit: number) => Limiter;

/** @param refused Called for each request over the limit. */
export function createLimiter(limit: number, refused: () => void = () => undefined): Limiter {
  const began = performance.now();
  let counts = new BoundedMap<string, number>(maxKeys);
  let current = 0;
  return {
    limit,
    count(key) {
      const passed = performance.now() - began;
      const now = Math.floor(passed / minuteMs);
      if (now !== current) counts = new BoundedMap(maxKeys);
      current = now;
      const count = (counts.get(key) ?? 0) + 1;
      const allowed = count <= limit;
      if (allowed) counts.set(key, count);
      else refused();
      const reset = Math.ceil(((now + 1) * minuteMs - passed) / 1000);
      return { allowed, remaining: Math.max(0, limit - count), reset };
    },
  };
}

/**
 * @param whose The scope of the limit, for the message. Empty if it is the client itself.
 * @throws LimitError `rate_limited` when a request is not within the limit.
 */
export function requireAllowed({ allowed, reset }: Allowance, limit: number, whose = ""): void {
  if (allowed) return;
  throw new LimitError("rate_limited", `The limit is ${limit} requests a minute${whose}.`, reset);
}
