import type { RequestListener } from "node:http";
import express, { type Express } from "express";
import type { Service } from "../service/service.ts";
import { requestLog } from "./requestLog.ts";

export function newExpressApp(): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  return app;
}

/** Adds all requests to an app to the log and to the metrics. */
export function logged(
  app: RequestListener,
  service: Pick<Service, "config" | "logger" | "metrics">,
): RequestListener {
  const log = requestLog(service);
  return (request, response) => {
    log(request, response);
    app(request, response);
  };
}
