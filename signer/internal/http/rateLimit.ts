import type { RequestHandler } from "express";
import { ServiceError } from "../serviceError.ts";
import { noted } from "./noted.ts";

const minute = 60_000;

/** How many clients are counted at once; those who came first are forgotten first. */
const countedClients = 100_000;

/**
 * Allows so many requests a minute from one client address (an IPv6 client's /56 counts as one); 0 for no limit.
 *
 * @returns What counts a request of a client. Throws ServiceError `rate_limited`.
 */
export function limitClients(requests: number): (client: string) => void {
  if (requests === 0) return () => undefined;
  const counts = new Map<string, number>();
  let since = performance.now();
  return (client) => {
    const passed = performance.now() - since;
    if (passed >= minute) {
      counts.clear();
      since += passed;
    }
    const count = (counts.get(client) ?? 0) + 1;
    if (count > requests) {
      throw new ServiceError("rate_limited", `At most ${requests} requests a minute are answered.`, {
        retryAfter: Math.max(1, Math.ceil((since + minute - performance.now()) / 1000)),
      });
    }
    counts.set(client, count);
    const [oldest] = counts.keys();
    if (oldest !== undefined && counts.size > countedClients) counts.delete(oldest);
  };
}

/** The same for a path. */
export function rateLimit(requests: number): RequestHandler {
  const count = limitClients(requests);
  return (_request, response, next) => {
    count(noted(response).client);
    next();
  };
}
