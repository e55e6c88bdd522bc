import type { Health, ReadinessReport } from "@hardhat-identity/protocol/health";
import { Router } from "express";
import type { Metrics } from "../monitoring/metrics.ts";
import type { Readiness } from "../service/readiness.ts";
import { endpoint, noStore } from "./endpoint.ts";

/** `GET /healthz`: the process runs. It does not check what the process depends on; see {@link readyz}. */
export function healthz(): Router {
  return endpoint("/healthz", "get", noStore, (_request, response) => {
    response.json({ status: "ok" } satisfies Health);
  });
}

/**
 * `GET /readyz`: 200 when verifications can be issued, otherwise 503. Both have all checks by name.
 *
 * @param isEnding Whether requests should go elsewhere, although they are still answered.
 */
export function readyz(readiness: Pick<Readiness, "check">, isEnding: () => boolean): Router {
  return endpoint("/readyz", "get", noStore, async (_request, response) => {
    const found = await readiness.check();
    const report: ReadinessReport = isEnding() ? { ...found, status: "ending" } : found;
    response.status(report.status === "ready" ? 200 : 503).json(report);
  });
}

/** The part of the service that answers `GET /metrics`. */
export interface Measured {
  readonly metrics: Pick<Metrics, "registry">;
  renderMetrics(): Promise<string>;
}

/** `GET /metrics`: the service's metrics and its readiness, for Prometheus. Not there if nothing is counted. */
export function metrics({ metrics, renderMetrics }: Measured): Router {
  const { registry } = metrics;
  if (registry === undefined) return Router();
  return endpoint("/metrics", "get", noStore, async (_request, response) => {
    response.type(registry.contentType).send(await renderMetrics());
  });
}
