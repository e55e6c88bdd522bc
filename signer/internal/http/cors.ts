import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";

/** Lets pages of any origin use the API, without credentials. */
export function allowOrigins(response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Expose-Headers", "Retry-After, x-request-id");
}

/**
 * The same as Express middleware, with answers to preflight requests. An app may send all its requests with an
 * `Authorization`, which is ignored.
 */
export const allowAnyOrigin: RequestHandler = (request, response, next) => {
  allowOrigins(response);
  if (request.method === "OPTIONS") {
    response.setHeader("Access-Control-Allow-Headers", "Authorization, Content-Type");
    response.setHeader("Access-Control-Max-Age", "86400");
  }
  next();
};
