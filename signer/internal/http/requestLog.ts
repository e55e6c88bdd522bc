import { randomUUID } from "node:crypto";
import type { RequestListener, ServerResponse } from "node:http";
import type { Logger } from "@hardhat-identity/store/logger";
import { limitLines } from "../monitoring/limitLines.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import { clientReader, strangeProxyFinder } from "../network/clientAddress.ts";

/** Notes on a request while it is handled. */
interface Noted {
  readonly requestId: string;
  /** The name of the client; see clientAddress.ts. */
  readonly client: string;
  /** The path of the matching endpoint. */
  route: string;
  /** The code of the problem in the response. */
  code?: string;
  /** The cause of an outage, for the log. */
  reason?: string | undefined;
  /** The body of a POST, received before the request's turn; see takeTurns. */
  body?: Promise<Buffer>;
  /** Ends the request's turn, so that its client's next request may start; see takeTurns. */
  endTurn?: () => void;
}

/** Returns the notes, which are in `locals`, so that Express's handlers find them as well. */
export function noted(response: ServerResponse): Noted {
  return (response as ServerResponse & { locals: Noted }).locals;
}

/** Routes that monitoring requests every second. Changes of readiness have log lines of their own. */
const watched: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

const isProbe = (method: string | undefined, route: string, status: number): boolean =>
  watched.has(route) && (method === "GET" || method === "HEAD") && (status === 200 || status === 503);

/** The part of the service that logs requests. */
interface LoggedService {
  readonly config: { readonly trustProxy: number | readonly string[] };
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "requests">;
}

/**
 * Gives every request to an app an id and one line in the log (at `debug` for a probe), and observes its duration. Of many
 * requests that fail alike, the log has some lines and their number. A line has nothing that the client sent except the
 * method: no path (only the matching route), no header and no body. During an outage, it has the cause.
 */
export function logged(app: RequestListener, { config, logger, metrics }: LoggedService): RequestListener {
  const readClient = clientReader(config.trustProxy);
  const isStrange = strangeProxyFinder(config.trustProxy);
  const limited = limitLines(logger);
  let isProxyTold = false;
  return (request, response) => {
    const started = performance.now();
    if (!isProxyTold && isStrange(request)) {
      isProxyTold = true;
      logger.warn(
        "A proxy in front of the service is not in IDENTITY_TRUST_PROXY, so all of its clients share one limit.",
      );
    }
    const requestId = randomUUID();
    const locals: Noted = { requestId, client: readClient(request), route: "none" };
    Object.assign(response, { locals });
    response.setHeader("x-request-id", requestId);
    response.once("close", () => {
      const { route, code, reason } = noted(response);
      const { statusCode: status, writableFinished } = response;
      const duration = performance.now() - started;
      const usual = reason === undefined ? "info" : "warn";
      const level = isProbe(request.method, route, status) ? "debug" : usual;
      const line = {
        requestId,
        method: request.method,
        route,
        status,
        code,
        reason,
        durationMs: Math.round(duration * 10) / 10,
        ...(writableFinished ? {} : { aborted: true }),
      };
      const write = () => logger[level](line, "request");
      // No limit counts a preflight request, or one that its client aborts.
      const isCheap = request.method === "OPTIONS" || !writableFinished;
      if (code === undefined && !isCheap) write();
      else limited({ route, status, code }, write);
      metrics.requests.observe({ route, status: writableFinished ? status : "aborted" }, duration / 1000);
    });
    app(request, response);
  };
}
