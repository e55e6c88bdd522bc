import type { RequestHandler } from "express";
import type { Service } from "../service.ts";
import { ServiceError } from "../serviceError.ts";
import { clientAddress } from "./clientAddress.ts";

/**
 * Allows the configured number of requests a minute from one client address (an IPv6 client's /56 counts as one), and
 * says in each answer what is left of it (draft-ietf-httpapi-ratelimit-headers).
 *
 * @param name Of what is limited; each is counted for itself.
 */
export function rateLimit({ config, makeLimiter }: Service, name: string): RequestHandler {
  const { rateLimit: requests } = config;
  if (requests === 0) return (_request, _response, next) => next();
  const limiter = makeLimiter(name, requests);
  return async (request, response, next) => {
    const { allowed, remaining, reset } = await limiter.count(clientAddress(request));
    response.setHeader("RateLimit-Policy", `"client";q=${requests};w=60`);
    response.setHeader("RateLimit", `"client";r=${remaining};t=${reset}`);
    if (allowed) return next();
    throw new ServiceError("rate_limited", `At most ${requests} requests a minute are answered.`, {
      retryAfter: reset,
    });
  };
}
