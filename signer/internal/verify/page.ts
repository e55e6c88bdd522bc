import { join } from "node:path";
import express, { type RequestHandler, Router } from "express";
import { endpoint } from "../http/endpoint.ts";
import type { Service } from "../service.ts";
import { ServiceError } from "../serviceError.ts";
import { demandPageRequest, queryOf } from "./pageRequest.ts";

/** `GET /verify`: the page itself, and its scripts and styles. What an app asks wrongly is shown with status 400. */
export function page(service: Service): Router {
  const { verifyBundle: bundle } = service;
  const router = Router({ caseSensitive: true });
  if (bundle === undefined) return router;
  const show: RequestHandler = (request, response, next) => {
    response.status(isAskedWell(queryOf(request.url)) ? 200 : 400);
    response.sendFile(join(bundle, "index.html"), { cacheControl: false }, (error) => {
      // Whoever has left needs no answer.
      if (error && !request.socket.destroyed) next(error);
    });
  };
  function isAskedWell(query: string): boolean {
    try {
      demandPageRequest(service, query);
      return true;
    } catch (error) {
      if (error instanceof ServiceError) return false;
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
