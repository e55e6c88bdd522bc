import { randomUUID } from "node:crypto";
import {
  createServer,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "@hardhat-identity/store/logger";
import { ServiceError } from "../errors/serviceError.ts";
import { limitLines } from "../monitoring/limitLines.ts";
import { connectionReader } from "../network/clientAddress.ts";
import { describeInternal, toServiceError } from "./problem.ts";

/**
 * In milliseconds: the time for a client to send its headers, and to send a whole request; the interval at which both
 * are checked; and the time for which a connection may be idle, such as when the client does not read a response.
 */
const timeLimits = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 2_000,
  timeout: 30_000,
};

/** Milliseconds of silence after which the system asks whether the other end of a connection is still there. */
const keepAliveInitialDelay = 60_000;

/** Creates an HTTP server with time limits for slow clients. It handles requests once {@link serve} is called. */
export function createHttpServer({ timeout, ...limits } = timeLimits): Server {
  // Node's own refusal of a request without a host has no id, no problem and no line in the log; see `serve`.
  const options = { ...limits, keepAlive: true, keepAliveInitialDelay, requireHostHeader: false };
  return createServer(options).setTimeout(timeout);
}

/** The unfinished response of each connection. */
const underWay = new WeakMap<Socket, ServerResponse>();

/**
 * Handles one request of a connection at a time. A connection that sends another request before the response is
 * finished is closed: Node would accept every request, and keep all responses for a client that may read none.
 * Browsers, proxies and HTTP libraries wait for the response. A client that pipelines has to retry when a connection
 * closes (RFC 9112, section 9.3.2).
 */
function oneByOne(handle: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const current = underWay.get(socket);
    if (current !== undefined && current !== response) return void socket.destroy();
    underWay.set(socket, response);
    response.once("finish", () => underWay.delete(socket));
    handle(request, response);
  };
}

/** Holds requests that arrive before {@link serve} is called, until they are released. */
export function holdRequests(server: Server): { release(): void } {
  const held: Parameters<RequestListener>[] = [];
  const hold = oneByOne((...request) => void held.push(request));
  server.on("request", hold);
  return {
    release() {
      server.off("request", hold);
      for (const request of held.splice(0)) server.emit("request", ...request);
    },
  };
}

/** Milliseconds for requests under way to end when the service stops. */
const drainLimitMs = 10_000;

/** Accepts no new requests, and lets those under way end. */
export async function drain(server: Server): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), drainLimitMs);
  // A keep-alive connection would keep the server open.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(late);
  clearInterval(idle);
}

/** Milliseconds for a client to read the error and close its connection. */
const lingerMs = 2_000;

/**
 * Passes requests to the app, and itself answers anything that is not an HTTP request.
 *
 * @param options.trustProxy The proxies whose idle connections stay open until they close them. Otherwise a proxy might
 * send a request just as the connection closes, and could not tell whether it was handled.
 */
export function serve(
  server: Server,
  app: RequestListener,
  options: { logger: Logger; trustProxy?: number | readonly string[]; lingerLimit?: number | undefined },
): void {
  const { logger, trustProxy = 0, lingerLimit = lingerMs } = options;
  const readClient = connectionReader(trustProxy);
  const limited = limitLines(logger);
  const handle = oneByOne((request, response) => {
    const { socket, rawHeaders, httpVersion } = request;
    // RFC 9112, section 3.2. `headersDistinct` would read and copy every header.
    const hosts = rawHeaders.filter(
      (text, i) => i % 2 === 0 && text.length === 4 && /^host$/i.test(text),
    ).length;
    if (hosts > 1 || (hosts === 0 && httpVersion !== "1.0"))
      return refuse(socket, invalid(`The request must have one Host header, and has ${hosts}.`));
    // After Node has set its own limit. Node sets the one for a request again with the next request.
    if (readClient(socket) === undefined) response.once("finish", () => socket.setTimeout(0));
    try {
      app(request, response);
    } catch (error) {
      // Express answers for its handlers. An error in what surrounds them would end the process.
      const requestId = randomUUID();
      logger.error({ requestId, ...describeInternal(error) }, "A request failed.");
      if (response.headersSent) socket.destroy();
      else refuse(socket, toServiceError(error), undefined, requestId);
    }
  });
  server.on("request", handle);
  // A request with an unknown `Expect` header is answered like any other.
  server.on("checkExpectation", handle);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const isTooLong = error.code === "HPE_HEADER_OVERFLOW";
    const detail = isTooLong
      ? `The headers are larger than ${maxHeaderSize} bytes.`
      : "The data sent is not a complete HTTP request.";
    refuse(socket, invalid(detail), error.code);
  });
  // Without an answer, a proxy would take the replica for broken and ask the next one.
  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy()).resume();
    refuse(socket, invalid("The service is not a proxy: it does not accept CONNECT."));
  });

  function refuse(socket: Duplex, error: ServiceError, reason?: string, requestId = randomUUID()): void {
    const problem = error.toProblem();
    const { status, code } = problem;
    const body = JSON.stringify(problem);
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        `x-request-id: ${requestId}`,
        "Content-Type: application/problem+json; charset=utf-8",
        `Content-Length: ${body.length}`,
        "Cache-Control: no-store",
        "Connection: close",
        "",
        body,
      ].join("\r\n"),
    );
    // A client might never close its connection, to which Node no longer applies a time limit.
    setTimeout(() => socket.destroy(), lingerLimit).unref();
    const failed = { route: "none", status, code };
    limited(failed, () => logger.info({ requestId, ...failed, reason }, "request"));
  }
}

const invalid = (detail: string) => new ServiceError("invalid_argument", detail);
