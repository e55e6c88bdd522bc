import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { requireAllowed } from "../limits/limiter.ts";
import type { Service } from "../service/service.ts";
import { noted } from "./requestNotes.ts";

type LimitParts = Pick<Service, "config" | "makeLimiter">;

/**
 * Allows the configured number of requests a minute from one client address (an IPv6 client's /56 counts as one), and
 * sends the remaining number with each response (draft-ietf-httpapi-ratelimit-headers).
 *
 * @param name The name of the limit. Each limit has its own counts.
 * @returns A function that counts a request by its response. It throws LimitError `rate_limited`.
 */
export function limitClients(
  { config, makeLimiter }: LimitParts,
  name: string,
): (response: ServerResponse) => void {
  const { rateLimit: requests } = config;
  if (requests === 0) return () => undefined;
  const limiter = makeLimiter(name, requests);
  return (response) => {
    const allowance = limiter.count(noted(response).client);
    const { remaining, reset } = allowance;
    response.setHeader("RateLimit-Policy", `"client";q=${requests};w=60`);
    response.setHeader("RateLimit", `"client";r=${remaining};t=${reset}`);
    requireAllowed(allowance, requests);
  };
}

/** The same as Express middleware. */
export function rateLimit(parts: LimitParts, name: string): RequestHandler {
  const limit = limitClients(parts, name);
  return (_request, response, next) => {
    limit(response);
    next();
  };
}

/** Handles requests in an order in which clients take turns. Even a refusal takes one: it costs time, too. */
export function takeTurns({ requests }: Pick<Service, "requests">): RequestHandler {
  return (_request, response, next) => {
    requests.run(noted(response).client, 1, async () => next()).catch(next);
  };
}
