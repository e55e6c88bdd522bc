import type { ServerResponse } from "node:http";
import { type RequestHandler, Router } from "express";
import { ServiceError } from "../errors/serviceError.ts";

/**
 * Creates a router for one path and its method. `OPTIONS` lists the methods; any other method gets 405. The path is
 * also the route in the log.
 */
export function endpoint(path: string, method: "get" | "post", ...handlers: RequestHandler[]): Router {
  const methods = method === "get" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
  const router = Router({ caseSensitive: true, strict: true });
  const route = router.route(path);
  route.all((_request, response, next) => {
    response.locals.route = path;
    next();
  });
  route.options((_request, response) => {
    response.setHeader("Allow", methods);
    response.setHeader("Access-Control-Allow-Methods", methods);
    response.status(204).end();
  });
  if (handlers.length > 0) route[method](...handlers);
  route.all((request, response) => {
    response.setHeader("Allow", methods);
    throw new ServiceError("method_not_allowed", `${path} takes ${methods}, not ${request.method}.`);
  });
  return router;
}

/** Answers all requests with the same JSON, which is serialized once. */
export function constantJson(value: object): RequestHandler {
  const body = Buffer.from(JSON.stringify(value));
  return (_request, response) => void response.type("json").send(body);
}

/** Sends JSON as Express's `json` does, without its settings. */
export function sendJson(
  response: ServerResponse,
  value: object,
  type = "application/json; charset=utf-8",
): void {
  const body = JSON.stringify(value);
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

/** Keeps a response out of every cache. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader("Cache-Control", "no-store");
  next();
};

/**
 * Lets pages of any origin use the API, without credentials, and answers preflight requests. Tracing libraries add headers
 * of their own to each request of an app, and apps an `Authorization`: whatever they are, they are ignored.
 */
export const allowAnyOrigin: RequestHandler = (request, response, next) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Expose-Headers", "Retry-After, x-request-id, Allow");
  if (request.method === "OPTIONS") {
    // By the Fetch standard, the star does not mean `Authorization`.
    response.setHeader("Access-Control-Allow-Headers", "*, Authorization");
    response.setHeader("Access-Control-Max-Age", "86400");
  }
  next();
};
