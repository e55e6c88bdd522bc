import type { Router } from "express";
import { shareReads } from "../../../chain/sharedRead.ts";
import type { Service } from "../service.ts";
import { endpoint } from "./endpoint.ts";
import { noStore } from "./noStore.ts";

/** `GET /healthz`: the process runs. It says nothing of what the process depends on: see {@link readyz}. */
export function healthz(): Router {
  return endpoint("/healthz", {
    get: [
      noStore,
      (_request, response) => {
        response.json({ status: "ok" });
      },
    ],
  });
}

/** `GET /readyz`: 200 when verifications can be issued, else 503; either way with every check by its name. */
export function readyz({ readiness }: Service): Router {
  const check = shareReads(() => readiness.check(), 1_000);
  return endpoint("/readyz", {
    get: [
      noStore,
      async (_request, response) => {
        const checks = await check("");
        const ready = Object.values(checks).every(({ ok }) => ok);
        response.status(ready ? 200 : 503).json({ status: ready ? "ready" : "not_ready", checks });
      },
    ],
  });
}
