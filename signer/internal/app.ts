import type { RequestListener } from "node:http";
import type { Logger } from "@hardhat-identity/store/logger";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import { ServiceError } from "./errors/serviceError.ts";
import { discovery } from "./http/discovery.ts";
import { allowAnyOrigin, noStore } from "./http/endpoint.ts";
import { healthz, metrics, readyz } from "./http/health.ts";
import { onchainVerifications, otherVerificationRequests } from "./http/onchainVerifications.ts";
import { openapi } from "./http/openapi.ts";
import { problemHandler } from "./http/problem.ts";
import { rateLimit, takeTurns } from "./http/rateLimit.ts";
import { logged } from "./http/requestLog.ts";
import type { Service } from "./service/service.ts";

/** Pages for people, which the service serves beside its API. */
export interface Pages {
  /** Runs before everything but requests for a verification, so that a refusal has the headers that it sets. */
  readonly headers: RequestHandler;
  /** Answers requests that are not for the API. Each is counted against the rate limit, and has waited for its turn. */
  readonly router: RequestHandler;
  /**
   * Answers a request that failed in place of the problem in JSON, whose status and headers are set.
   *
   * @returns Whether it did.
   */
  readonly problem?: (request: Request, response: Response) => boolean;
}

/**
 * Creates the app of the public port.
 *
 * @param isEnding Whether to show proxies that the service is about to stop.
 */
export function createApp(
  service: Service,
  pages: Pages | undefined,
  isEnding: () => boolean,
): RequestListener {
  const app = createExpressApp(service, pages, isEnding);
  return logged((request, response) => {
    // Otherwise the next request might arrive just as the connection closes.
    if (isEnding()) response.setHeader("Connection", "close");
    app(request, response);
  }, service.api);
}

/** Creates the app of the separate port for metrics, which serves only metrics and health. */
export function createMetricsApp({ api, readiness }: Service, isEnding: () => boolean): RequestListener {
  const app = newExpressApp();
  app.use(healthz());
  app.use(readyz(readiness, isEnding));
  app.use(rateLimit(api, "metrics"));
  app.use(metrics(api));
  answerRest(app, api.logger);
  return logged(app, api);
}

function newExpressApp(): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  return app;
}

function answerRest(app: Express, logger: Logger, pages?: Pages): void {
  app.use(() => {
    throw new ServiceError("not_found", "There is nothing at this path.");
  });
  app.use(problemHandler(logger, pages?.problem));
}

/**
 * Adds the router of every endpoint. Clients take turns, and a request is counted against the rate limit before any other
 * work; verifications do both in their own way. Only health checks and preflight requests are answered at once and never
 * refused, because they cost no more than a refusal. A browser hides a refused preflight from the app, as if the service
 * could not be reached.
 */
function createExpressApp(
  { api, readiness }: Service,
  pages: Pages | undefined,
  isEnding: () => boolean,
): Express {
  const app = newExpressApp();
  // First: all that stands before it would cost each request for a verification its time and its memory.
  app.use(onchainVerifications(api));
  app.use(["/v1", "/.well-known", "/openapi.json"], allowAnyOrigin);
  app.use("/v1", noStore);
  if (pages) app.use(pages.headers);

  app.use(healthz());
  app.use(readyz(readiness, isEnding));
  const forApps = [otherVerificationRequests(), discovery(api), openapi()];
  app.options(/^\/(?:v1|\.well-known|openapi\.json)/, ...forApps);
  app.use(takeTurns(api.requests));
  app.use(rateLimit(api, "other"));
  app.use(...forApps);
  if (api.config.metricsPort === undefined) app.use(metrics(api));
  if (pages) app.use(pages.router);

  answerRest(app, api.logger, pages);
  return app;
}
