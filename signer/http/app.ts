import express, { type Express } from "express";
import type { Service } from "../service.ts";
import { allowAnyOrigin } from "./cors.ts";
import { healthz } from "./health.ts";
import { problemHandler, ServiceError } from "./problem.ts";
import { requestLog } from "./requestLog.ts";

/** The whole HTTP side: every endpoint is a router of its own, and is added here. */
export function createApp(service: Service): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("trust proxy", service.config.trustProxy);

  app.use(requestLog(service.logger));
  app.use(["/v1", "/.well-known", "/openapi.json"], allowAnyOrigin);
  app.use("/v1", (_request, response, next) => {
    response.setHeader("Cache-Control", "no-store");
    next();
  });

  app.use(healthz());

  app.use(() => {
    throw new ServiceError("not_found", "There is nothing at this path.");
  });
  app.use(problemHandler(service.logger));
  return app;
}
