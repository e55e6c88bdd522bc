import type { RequestListener } from "node:http";
import type { ReadinessReport } from "../../../protocol/health.ts";
import type { Service } from "../service.ts";
import { storeUnavailable } from "../serviceError.ts";
import { allowAnyOrigin } from "./cors.ts";
import { endpoint } from "./endpoint.ts";
import { logged, newExpressApp } from "./expressApp.ts";
import { healthz } from "./health.ts";
import { noStore } from "./noStore.ts";
import { problemHandler } from "./problem.ts";

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
  const app = newExpressApp();
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
    throw storeUnavailable();
  });
  app.use(problemHandler(service.logger));
  return logged(app, service);
}
