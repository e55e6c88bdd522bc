import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { clientReader } from "../network/clientAddress.ts";
import type { Service } from "../service/service.ts";
import { note, noted } from "./requestNotes.ts";

/** Routes that monitoring requests every second. Changes of readiness have log lines of their own. */
const watched: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

const isProbe = (method: string | undefined, route: string, status: number): boolean =>
  watched.has(route) && (method === "GET" || method === "HEAD") && (status === 200 || status === 503);

/**
 * Gives every request to an app an id and one line in the log (at `debug` for a probe), and observes its duration. The line
 * has nothing that the client sent except the method: no path (only the matching route), no header and no body. During an
 * outage, it has the cause.
 */
export function logged(
  app: RequestListener,
  { config, logger, metrics }: Pick<Service, "config" | "logger" | "metrics">,
): RequestListener {
  const readClient = clientReader(config.trustProxy);
  return (request, response) => {
    const started = performance.now();
    const requestId = randomUUID();
    note(response, { requestId, client: readClient(request), route: "none" });
    response.setHeader("x-request-id", requestId);
    response.once("close", () => {
      const { route, code, reason } = noted(response);
      const { statusCode: status, writableFinished } = response;
      const duration = performance.now() - started;
      const level = isProbe(request.method, route, status) ? "debug" : reason === undefined ? "info" : "warn";
      logger[level](
        {
          requestId,
          method: request.method,
          route,
          status,
          code,
          reason,
          durationMs: Math.round(duration * 10) / 10,
          ...(writableFinished ? {} : { aborted: true }),
        },
        "request",
      );
      metrics.requests.observe({ route, status: writableFinished ? status : "aborted" }, duration / 1000);
    });
    app(request, response);
  };
}
