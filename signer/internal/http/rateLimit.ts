import type { RequestHandler } from "express";
import { rateLimit as expressRateLimit } from "express-rate-limit";
import { ServiceError } from "../serviceError.ts";
import { clientAddress } from "./clientAddress.ts";

const minute = 60_000;

/** Allows so many requests a minute from one client address (an IPv6 client's /56 counts as one); 0 for no limit. */
export function rateLimit(requests: number): RequestHandler {
  if (requests === 0) return (_request, _response, next) => next();
  return expressRateLimit({
    windowMs: minute,
    limit: requests,
    keyGenerator: clientAddress,
    legacyHeaders: false,
    // Its checks write to the console whatever strangers send.
    validate: false,
    handler(request, _response, next) {
      const { resetTime } = (request as unknown as { rateLimit: { resetTime?: Date } }).rateLimit;
      const wait = (resetTime?.getTime() ?? Date.now() + minute) - Date.now();
      next(
        new ServiceError("rate_limited", `At most ${requests} requests a minute are answered.`, {
          retryAfter: Math.max(1, Math.ceil(wait / 1000)),
        }),
      );
    },
  });
}
