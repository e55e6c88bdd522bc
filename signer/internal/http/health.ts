import type { Router } from "express";
import type { Health } from "../../../protocol/health.ts";
import type { Service } from "../service/service.ts";
import { endpoint } from "./endpoint.ts";
import { noStore } from "./noStore.ts";

/** `GET /healthz`: the process runs. It says nothing of what the process depends on: see {@link readyz}. */
export function healthz(): Router {
  return endpoint("/healthz", {
    get: [
      noStore,
      (_request, response) => {
        response.json({ status: "ok" } satisfies Health);
      },
    ],
  });
}

/** `GET /readyz`: 200 when verifications can be issued, else 503; either way with every check by its name. */
export function readyz({ readiness }: Service): Router {
  return endpoint("/readyz", {
    get: [
      noStore,
      async (_request, response) => {
        const report = await readiness.check();
        response.status(report.status === "ready" ? 200 : 503).json(report);
      },
    ],
  });
}
