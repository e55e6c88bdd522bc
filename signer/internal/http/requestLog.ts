import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import type { Service } from "../service.ts";

/**
 * Gives every request an id and one line in the log, and observes how long it takes. Nothing that the client sent goes
 * in but its method: no path (only the route that it matched), no header, no body.
 */
export function requestLog({ logger, metrics }: Pick<Service, "logger" | "metrics">): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    response.locals.requestId = requestId;
    response.setHeader("x-request-id", requestId);
    response.once("close", () => {
      const { route = "none", code } = response.locals;
      const { statusCode: status, writableFinished } = response;
      const duration = performance.now() - started;
      logger.info(
        {
          requestId,
          method: request.method,
          route,
          status,
          code,
          durationMs: Math.round(duration * 10) / 10,
          ...(writableFinished ? {} : { aborted: true }),
        },
        "request",
      );
      metrics.requests.observe({ route, status: writableFinished ? status : "aborted" }, duration / 1000);
    });
    next();
  };
}
