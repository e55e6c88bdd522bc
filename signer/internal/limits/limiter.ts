import { BoundedMap } from "@hardhat-identity/protocol/boundedMap";
import { ServiceError } from "../errors/serviceError.ts";

/** Milliseconds. */
const minuteMs = 60_000;

/**
 * The greatest number of keys. Beyond it, the oldest counts are forgotten, so that a flood from many addresses cannot
 * exhaust memory. Limiters that keep a timer for each key do not promise that.
 */
const maxKeys = 100_000;

/** Creates a limiter with a name for the metrics and a limit of requests a minute. */
export type MakeLimiter = (name: string, limit: number) => Limiter;

type Limiter = ReturnType<typeof createLimiter>;

/**
 * Counts the requests of each minute by key, in this process.
 *
 * @param limit Requests a minute.
 * @param refused Called for each request over the limit.
 */
export function createLimiter(limit: number, refused: () => void = () => undefined) {
  const began = performance.now();
  let counts = new BoundedMap<string, number>(maxKeys);
  let current = 0;
  return {
    limit,
    /**
     * Counts a request under a key, such as a client's address or a wallet.
     *
     * @returns If it is one too many, the seconds until the count starts again, from 1 to 60.
     */
    count(key: string): number | undefined {
      const passed = performance.now() - began;
      const now = Math.floor(passed / minuteMs);
      if (now !== current) counts = new BoundedMap(maxKeys);
      current = now;
      const count = (counts.get(key) ?? 0) + 1;
      if (count <= limit) return void counts.set(key, count);
      refused();
      return Math.ceil(((now + 1) * minuteMs - passed) / 1000);
    },
  };
}

/**
 * Counts a request.
 *
 * @param whose The scope of the limit, for the message. Empty if it is the client itself.
 * @throws ServiceError `rate_limited` when it is one too many.
 */
export function requireAllowed(limiter: Limiter, key: string, whose = ""): void {
  const retryAfter = limiter.count(key);
  if (retryAfter === undefined) return;
  throw new ServiceError("rate_limited", `The limit is ${limiter.limit} requests a minute${whose}.`, {
    retryAfter,
  });
}
