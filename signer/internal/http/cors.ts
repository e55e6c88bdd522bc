import type { RequestHandler } from "express";

/**
 * Lets pages of any origin use the API, without credentials, and answers preflight requests. Tracing libraries add headers
 * of their own to each request of an app, and apps an `Authorization`: whatever they are, they are ignored.
 */
export const allowAnyOrigin: RequestHandler = (request, response, next) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader(
    "Access-Control-Expose-Headers",
    "Retry-After, x-request-id, RateLimit, RateLimit-Policy, Allow",
  );
  if (request.method === "OPTIONS") {
    // By the Fetch standard, the star does not mean `Authorization`. To browsers that do not know the star, the names
    // that they asked for are named.
    const asked = String(request.headers["access-control-request-headers"] ?? "");
    const named = /^[\w\-, ]{1,1000}$/.test(asked) ? `, ${asked}` : "";
    response.setHeader("Access-Control-Allow-Headers", `*, Authorization, Content-Type${named}`);
    response.setHeader("Access-Control-Max-Age", "86400");
    response.vary("Access-Control-Request-Headers");
  }
  next();
};
