import express, { type Express } from "express";
import type { Service } from "../service.ts";
import { ServiceError } from "../serviceError.ts";
import { hasOwnPage, verify } from "../verify/verify.ts";
import { allowAnyOrigin } from "./cors.ts";
import { discovery } from "./discovery.ts";
import { front } from "./front.ts";
import { healthz, readyz } from "./health.ts";
import { metrics } from "./metrics.ts";
import { noStore } from "./noStore.ts";
import { onchainVerifications } from "./onchainVerifications.ts";
import { openapi } from "./openapi.ts";
import { problemHandler } from "./problem.ts";
import { requestLog } from "./requestLog.ts";

/** The whole HTTP side: every endpoint is a router of its own, and is added here. */
export function createApp(service: Service): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("trust proxy", service.config.trustProxy);

  app.use(requestLog(service));
  app.use(["/v1", "/.well-known", "/openapi.json"], allowAnyOrigin);
  app.use("/v1", noStore);

  app.use(onchainVerifications(service));
  app.use(discovery(service));
  app.use(openapi());
  app.use(healthz());
  app.use(readyz(service));
  app.use(metrics(service));
  if (hasOwnPage(service)) app.use(verify(service));

  app.use(front(service));
  app.use(() => {
    throw new ServiceError("not_found", "There is nothing at this path.");
  });
  app.use(problemHandler(service.logger));
  return app;
}
