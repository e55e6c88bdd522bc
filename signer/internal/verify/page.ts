import { join } from "node:path";
import express, { type RequestHandler, Router } from "express";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { endpoint } from "../http/endpoint.ts";
import type { VerifyContext } from "./context.ts";
import { queryOf, readPageRequest } from "./pageRequest.ts";

/** `GET /verify`: the page itself, and its scripts and styles. What an app asks wrongly is shown with status 400. */
export function page({ bundle, redirectRules, offered }: VerifyContext): Router {
  const router = Router({ caseSensitive: true });
  if (bundle === undefined) return router;
  const show: RequestHandler = (request, response, next) => {
    response.status(isAskedWell(queryOf(request.url)) ? 200 : 400);
    response.sendFile(join(bundle, "index.html"), { cacheControl: false }, (error) => error && next(error));
  };
  function isAskedWell(query: string): boolean {
    try {
      readPageRequest(query, redirectRules, offered);
      return true;
    } catch (error) {
      if (error instanceof InvalidInputError) return false;
      throw error;
    }
  }
  router.use(endpoint("/verify", { get: [show] }));
  router.use(
    "/verify/assets",
    express.static(join(bundle, "assets"), {
      index: false,
      redirect: false,
      // Their names carry a hash of their content.
      setHeaders: (response) => response.setHeader("Cache-Control", "public, max-age=31536000, immutable"),
    }),
  );
  return router;
}
