import type { RequestHandler } from "express";

/** Keeps a response out of every cache. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader("Cache-Control", "no-store");
  next();
};
