import { BoundedMap } from "../boundedMap.ts";
import { ServiceError } from "../serviceError.ts";

/** What a limit says to a request. */
export interface Allowance {
  /** Whether the request is within the limit. */
  readonly allowed: boolean;
  /** How many more are, until the count begins anew. */
  readonly remaining: number;
  /** Seconds until the count begins anew, from 1 to 60. */
  readonly reset: number;
}

/** Counts requests, minute by minute. */
export interface Limiter {
  /** Requests a minute. */
  readonly limit: number;
  /** Counts a request of a key, a client's address or a wallet. Answers at once where nobody else has to be asked. */
  count(key: string): Allowance | Promise<Allowance>;
}

/** Makes a limiter. One of the same name counts together with this one, whichever process of the service it is in. */
export type MakeLimiter = (name: string, limit: number) => Limiter;

/** A limiter that counts in this process's memory. */
export const limitAlone = (limit: number, readClock = stopwatch()): Limiter => {
  const counts = perMinute<number>(readClock);
  return {
    limit,
    count(key) {
      const count = (counts.get(key) ?? 0) + 1;
      if (count <= limit) counts.set(key, count);
      return allowance({ limit, count, reset: counts.reset() });
    },
  };
};

/** @param input.count How many there were with this one; more than the limit where it was one too many. */
export const allowance = (input: { limit: number; count: number; reset: number }): Allowance => ({
  allowed: input.count <= input.limit,
  remaining: Math.max(0, input.limit - input.count),
  reset: input.reset,
});

/**
 * @param whose Of what each has a limit of its own, where a client would not know.
 * @throws ServiceError `rate_limited` when a request is not within the limit.
 */
export function demandAllowed({ allowed, reset }: Allowance, limit: number, whose = ""): void {
  if (allowed) return;
  throw new ServiceError("rate_limited", `At most ${limit} requests a minute${whose} are answered.`, {
    retryAfter: reset,
  });
}

/** Milliseconds since the first minute began. */
export type ReadClock = () => number;

function stopwatch(): ReadClock {
  const began = performance.now();
  return () => performance.now() - began;
}

/** Values by key that are forgotten as each minute begins. */
export interface PerMinute<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  /** Seconds until the next minute begins, rounded up. */
  reset(): number;
}

/** Milliseconds. */
export const minute = 60_000;

/** How many keys are known at once; more than a process can answer requests of in a minute. */
export const knownKeys = 100_000;

export function perMinute<Value>(readClock: ReadClock): PerMinute<Value> {
  let values = new BoundedMap<string, Value>(knownKeys);
  let current = Number.NaN;

  function ofNow(): Map<string, Value> {
    const now = Math.floor(readClock() / minute);
    if (now !== current) values = new BoundedMap(knownKeys);
    current = now;
    return values;
  }

  return {
    get: (key) => ofNow().get(key),
    set: (key, value) => void ofNow().set(key, value),
    reset() {
      const now = readClock();
      return Math.ceil(((Math.floor(now / minute) + 1) * minute - now) / 1000);
    },
  };
}
