import type { RequestHandler } from "express";
import { requireAllowed } from "../limits/limiter.ts";
import type { Service } from "../service/service.ts";
import { noted } from "./requestLog.ts";

/**
 * Allows the configured number of requests a minute from one client address (an IPv6 client's /56 counts as one).
 *
 * @param name The name of the limit. Each limit has its own counts.
 * @returns A function that counts a request of a client. It throws ServiceError `rate_limited`.
 */
export function limitClients({ config, makeLimiter }: Service, name: string): (client: string) => void {
  if (config.rateLimit === 0) return () => undefined;
  const limiter = makeLimiter(name, config.rateLimit);
  return (client) => requireAllowed(limiter, client);
}

/** The same as Express middleware. */
export function rateLimit(service: Service, name: string): RequestHandler {
  const limit = limitClients(service, name);
  return (_request, response, next) => {
    limit(noted(response).client);
    next();
  };
}

/** Handles requests in an order in which clients take turns. Even a refusal takes one: it costs time, too. */
export function takeTurns({ requests }: Service): RequestHandler {
  return (_request, response, next) => {
    requests.run(noted(response).client, 1, async () => next()).catch(next);
  };
}
