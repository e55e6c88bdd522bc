import type { RequestHandler } from "express";

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
