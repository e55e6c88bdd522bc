import type { Router } from "express";
import type { Service } from "../service/service.ts";
import { endpoint } from "./endpoint.ts";
import { noStore } from "./noStore.ts";

/** `GET /metrics`: the service's metrics and its readiness, for Prometheus. */
export function metrics(service: Pick<Service, "config" | "makeLimiter" | "metrics" | "readiness">): Router {
  return endpoint("/metrics", {
    get: [
      noStore,
      async (_request, response) => {
        const { metrics, readiness } = service;
        response.type(metrics.contentType).send(await metrics.render(await readiness.check()));
      },
    ],
  });
}
