import type { RequestListener } from "node:http";
import express from "express";
import type { ReadinessReport } from "../../../protocol/health.ts";
import type { Service } from "../service.ts";
import { ServiceError } from "../serviceError.ts";
import { allowAnyOrigin } from "./cors.ts";
import { endpoint } from "./endpoint.ts";
import { healthz } from "./health.ts";
import { noStore } from "./noStore.ts";
import { problemHandler } from "./problem.ts";
import { requestLog } from "./requestLog.ts";

const notYet = { ok: false, detail: "It is looked at when the credential store is there." };

/**
 * The HTTP side of a service that waits for its store at the start.
 *
 * @param problem Why the store cannot be used.
 */
export function createWaitingApp(
  service: Pick<Service, "config" | "logger" | "metrics">,
  problem: string,
): RequestListener {
  const log = requestLog(service);
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use("/v1", allowAnyOrigin, noStore);
  app.use(healthz());
  app.use(
    endpoint("/readyz", {
      get: [
        noStore,
        (_request, response) => {
          const checks = {
            chain: notYet,
            store: { ok: false, detail: problem },
            signer: notYet,
            erasure: notYet,
          };
          response.status(503).json({ status: "not_ready", checks } satisfies ReadinessReport);
        },
      ],
    }),
  );
  app.use(() => {
    throw new ServiceError(
      "store_unavailable",
      "The credential store does not answer right now; try again later.",
      { retryAfter: 2 },
    );
  });
  app.use(problemHandler(service.logger));
  return (request, response) => {
    log(request, response);
    app(request, response);
  };
}
