import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { Logger } from "../monitoring/log.ts";
import { ServiceError } from "../service/serviceError.ts";
import { oneByOne } from "./oneByOne.ts";

/**
 * How long a client may take to send its headers, and a whole request; how often that is looked at; and for how long nothing
 * may move on a connection, such as when the client reads nothing of an answer. Milliseconds.
 */
const timeLimits = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 2_000,
  timeout: 30_000,
};

/** An HTTP server that waits for nobody for long; its requests are handled once {@link serve} is called. */
export function createHttpServer({ timeout, ...limits } = timeLimits): Server {
  return createServer(limits).setTimeout(timeout);
}

/** Has requests wait that come before the server is {@link serve}d, until they are released. */
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

/** Milliseconds that requests under way have to end when the service stops. */
const drainLimit = 10_000;

/** Takes no new request, and lets those under way end. */
export async function drain(server: Server): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), drainLimit);
  // A connection that is kept alive would keep the server open.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(late);
  clearInterval(idle);
}

/** Milliseconds in which a client whose connection ends can read why, and leave. */
const lingerTime = 2_000;

/** Hands requests to the app, and answers by itself what is no HTTP request. */
export function serve(server: Server, app: RequestListener, logger: Logger, lingerLimit = lingerTime): void {
  const handle = oneByOne(app);
  server.on("request", handle);
  // Whatever a client expects: it gets the answer to its request.
  server.on("checkExpectation", handle);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const requestId = randomUUID();
    const problem = new ServiceError("invalid_argument", "What was sent is not a complete HTTP request.");
    const body = JSON.stringify(problem.toProblem());
    socket.end(
      [
        "HTTP/1.1 400 Bad Request",
        `x-request-id: ${requestId}`,
        "Content-Type: application/problem+json; charset=utf-8",
        `Content-Length: ${body.length}`,
        "Cache-Control: no-store",
        "Connection: close",
        "",
        body,
      ].join("\r\n"),
    );
    // One that does not leave would be kept for ever: Node looks after it no longer.
    setTimeout(() => socket.destroy(), lingerLimit).unref();
    logger.info({ requestId, route: "none", status: 400, code: problem.code, reason: error.code }, "request");
  });
}
