import type { RequestListener } from "node:http";
import type { Express } from "express";
import { allowAnyOrigin } from "./http/cors.ts";
import { discovery } from "./http/discovery.ts";
import { logged, newExpressApp } from "./http/expressApp.ts";
import { frontPage } from "./http/frontPage.ts";
import { healthz, readyz } from "./http/health.ts";
import { metrics } from "./http/metrics.ts";
import { noStore } from "./http/noStore.ts";
import {
  type Answer,
  onchainVerifications,
  otherVerificationRequests,
  verificationsPath,
} from "./http/onchainVerifications.ts";
import { openapi } from "./http/openapi.ts";
import { problemHandler } from "./http/problem.ts";
import { rateLimit } from "./http/rateLimit.ts";
import { requestLog } from "./http/requestLog.ts";
import { takeTurns } from "./http/takeTurns.ts";
import type { Service } from "./service/service.ts";
import { ServiceError } from "./service/serviceError.ts";
import { hasOwnPage, verify, verifyHeaders } from "./verify/verify.ts";

/**
 * Creates the app of the public port.
 *
 * @param isEnding Whether to show proxies that the service is about to stop.
 */
export function createApp(service: Service, isEnding: () => boolean): RequestListener {
  const log = requestLog(service);
  const answerVerification = onchainVerifications(service);
  const answerAnything = createExpressApp(service, isEnding, answerVerification);
  return (request, response) => {
    log(request, response);
    // Otherwise the next request might arrive just as the connection closes.
    if (isEnding()) response.setHeader("Connection", "close");
    const isVerification = request.method === "POST" && request.url === verificationsPath;
    if (isVerification) void answerVerification(request, response);
    else answerAnything(request, response);
  };
}

/** Creates the app of the separate port for metrics, which serves only metrics and health. */
export function createMetricsApp(service: Service, isEnding: () => boolean): RequestListener {
  const app = newExpressApp();
  app.use(healthz());
  app.use(readyz(service, isEnding));
  app.use(rateLimit(service, "metrics"));
  app.use(metrics(service));
  answerRest(app, service);
  return logged(app, service);
}

function answerRest(app: Express, service: Pick<Service, "logger" | "outageLog">): void {
  app.use(() => {
    throw new ServiceError("not_found", "There is nothing at this path.");
  });
  app.use(problemHandler(service));
}

/**
 * Adds the router of every endpoint. Clients take turns, and a request is counted against the rate limit before any other
 * work. Only health checks are answered at once and never refused, because they cost no more than a refusal.
 */
function createExpressApp(service: Service, isEnding: () => boolean, answerVerification: Answer): Express {
  const app = newExpressApp();
  app.use(["/v1", "/.well-known", "/openapi.json"], allowAnyOrigin);
  app.use("/v1", noStore);
  const hasPage = hasOwnPage(service.verifyUrl);
  if (hasPage) app.use(verifyHeaders(service));

  app.use(healthz());
  app.use(readyz(service, isEnding));
  app.use(takeTurns(service));
  app.use(rateLimit(service, "other"));
  app.use(otherVerificationRequests(answerVerification));
  app.use(discovery(service));
  app.use(openapi());
  if (service.config.metricsPort === undefined) app.use(metrics(service));
  if (hasPage) app.use(verify(service));

  app.use(frontPage(service));
  answerRest(app, service);
  return app;
}
