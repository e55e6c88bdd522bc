import { readFileSync } from "node:fs";
import { join } from "node:path";
import { endpoint, ServiceError } from "@hardhat-identity/signer/pages";
import { type RequestHandler, Router } from "express";
import type { Brand } from "../html/brand.ts";
import { builtPage } from "../html/builtPage.ts";
import { brandDocument } from "./brand.ts";
import { type NodeOfPage, pagePolicy } from "./guards.ts";
import { type AskedService, queryOf, requirePageRequest } from "./pageRequest.ts";
import type { EndpointParts } from "./session.ts";

/** The part of the service that the page shows. */
export interface PageService extends AskedService {
  readonly config: AskedService["config"] & NodeOfPage["config"] & { readonly brand?: Brand | undefined };
  /** The folder of the built page. */
  readonly bundle: string;
}

/**
 * `GET /verify`: the page. The status is 400 if an app's parameters are invalid. The page loads no script or style of its
 * own, which a replica of another release would not have.
 */
export function page({ service }: Pick<EndpointParts<PageService>, "service">): Router {
  const { brand } = service.config;
  const router = Router({ caseSensitive: true });
  const built = readFileSync(join(service.bundle, "index.html"), "utf8");
  const document = builtPage(brandDocument(built, brand));
  const policy = pagePolicy(service, document);
  const show: RequestHandler = (request, response) => {
    response.status(isAskedWell(queryOf(request.url)) ? 200 : 400);
    response.setHeader("Content-Security-Policy", policy);
    document.send(request, response);
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
  return router;
}
