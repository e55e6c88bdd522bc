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
import type { Service } from "./service/service.ts";
import { ServiceError } from "./service/serviceError.ts";
import { hasOwnPage, verify, verifyHeaders } from "./verify/verify.ts";

/**
 * What is served at the public port.
 *
 * @param isEnding Whether proxies are to see that the service ends.
 */
export function createApp(service: Service, isEnding: () => boolean): RequestListener {
  const log = requestLog(service);
  const answerVerification = onchainVerifications(service);
  const answerAnything = createExpressApp(service, isEnding, answerVerification);
  return (request, response) => {
    log(request, response);
    // Else the next request might come just as the connection is closed.
    if (isEnding()) response.setHeader("Connection", "close");
    const isVerification = request.method === "POST" && request.url === verificationsPath;
    if (isVerification) void answerVerification(request, response);
    else answerAnything(request, response);
  };
}

/** What is served at a port for metrics, where they have one of their own: nothing that is anybody else's. */
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
 * Every endpoint is a router of its own, and is added here. But for health, which costs no more than a refusal and is never
 * refused, a request is counted before anything else is done for it.
 */
function createExpressApp(service: Service, isEnding: () => boolean, answerVerification: Answer): Express {
  const app = newExpressApp();
  app.use(["/v1", "/.well-known", "/openapi.json"], allowAnyOrigin);
  app.use("/v1", noStore);
  const hasPage = hasOwnPage(service.verifyUrl);
  if (hasPage) app.use(verifyHeaders(service));

  app.use(healthz());
  app.use(readyz(service, isEnding));
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
