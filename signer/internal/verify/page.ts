import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type RequestHandler, Router } from "express";
import { assets } from "../../pages/assets.ts";
import { brandDocument } from "../http/brand.ts";
import { endpoint } from "../http/endpoint.ts";
import { ServiceError } from "../limits/serviceError.ts";
import { queryOf, requirePageRequest } from "./pageRequest.ts";
import type { Visits } from "./session.ts";

/** `GET /verify`: the page with its scripts and styles. The status is 400 if an app's parameters are invalid. */
export function page({ service }: Visits): Router {
  const { verifyBundle: bundle } = service;
  const { brand } = service.config;
  const router = Router({ caseSensitive: true });
  if (bundle === undefined) return router;
  const built = readFileSync(join(bundle, "index.html"), "utf8");
  const document = brand === undefined ? built : brandDocument(built, brand);
  const show: RequestHandler = (request, response) => {
    response.status(isAskedWell(queryOf(request.url)) ? 200 : 400);
    response.type("html").send(document);
  };
  function isAskedWell(query: string): boolean {
    try {
      requirePageRequest(service, query);
      return true;
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  }
  router.use(endpoint("/verify", "get", show));
  router.use("/verify/assets", assets(join(bundle, "assets")));
  return router;
}
