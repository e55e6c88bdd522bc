import type { Router } from "express";
import type { Metrics } from "../metrics.ts";
import { endpoint } from "./endpoint.ts";

/** `GET /metrics`: the service's counters, for Prometheus. */
export function metrics(counters: Metrics): Router {
  return endpoint("/metrics", {
    get: [
      (_request, response) => {
        response.setHeader("Cache-Control", "no-store");
        response.type("text/plain; version=0.0.4; charset=utf-8").send(counters.render());
      },
    ],
  });
}
