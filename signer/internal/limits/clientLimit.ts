import { type MakeLimiter, requireAllowed } from "./limiter.ts";

/**
 * Allows the configured number of requests a minute from one client address (an IPv6 client's /56 counts as one).
 *
 * @param requests Requests a minute; 0 for no limit.
 * @param name The name of the limit. Each limit has its own counts.
 * @returns A function that counts a request of a client. It throws ServiceError `rate_limited`.
 */
export function limitClients(
  requests: number,
  makeLimiter: MakeLimiter,
  name: string,
): (client: string) => void {
  if (requests === 0) return () => undefined;
  const limiter = makeLimiter(name, requests);
  return (client) => requireAllowed(limiter, client);
}
