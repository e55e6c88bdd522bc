import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import type { Logger } from "../log.ts";

/**
 * Gives every request an id and one line in the log. Nothing that the client sent goes in but its method: no path
 * (only the route that it matched), no header, no body.
 */
export function requestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    response.locals.requestId = requestId;
    response.setHeader("x-request-id", requestId);
    response.once("close", () => {
      logger.info(
        {
          requestId,
          method: request.method,
          route: response.locals.route ?? "none",
          status: response.statusCode,
          code: response.locals.code,
          durationMs: Math.round((performance.now() - started) * 10) / 10,
          ...(response.writableFinished ? {} : { aborted: true }),
        },
        "request",
      );
    });
    next();
  };
}
