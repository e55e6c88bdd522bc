import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";

/** Keeps a response out of every cache. */
export function keepFromCaches(response: ServerResponse): void {
  response.setHeader("Cache-Control", "no-store");
}

/** The same as Express middleware. */
export const noStore: RequestHandler = (_request, response, next) => {
  keepFromCaches(response);
  next();
};
