import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "../monitoring/log.ts";
import { ServiceError } from "../service/serviceError.ts";
import { oneByOne } from "./oneByOne.ts";

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

/** Creates an HTTP server with time limits for slow clients. It handles requests once {@link serve} is called. */
export function createHttpServer({ timeout, ...limits } = timeLimits): Server {
  return createServer(limits).setTimeout(timeout);
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
const drainLimit = 10_000;

/** Accepts no new requests, and lets those under way end. */
export async function drain(server: Server): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), drainLimit);
  // A keep-alive connection would keep the server open.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(late);
  clearInterval(idle);
}

/** Milliseconds for a client to read the error and close its connection. */
const lingerTime = 2_000;

/** Passes requests to the app, and itself answers anything that is not an HTTP request. */
export function serve(server: Server, app: RequestListener, logger: Logger, lingerLimit = lingerTime): void {
  const handle = oneByOne(app);
  server.on("request", handle);
  // A request with an unknown `Expect` header is answered like any other.
  server.on("checkExpectation", handle);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    refuse(socket, "The data sent is not a complete HTTP request.", error.code);
  });
  // Without an answer, a proxy would take the replica for broken and ask the next one.
  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy()).resume();
    refuse(socket, "The service is no proxy: it does not take CONNECT.");
  });

  function refuse(socket: Duplex, detail: string, reason?: string): void {
    const requestId = randomUUID();
    const problem = new ServiceError("invalid_argument", detail);
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
    // A client might never close its connection, to which Node no longer applies a time limit.
    setTimeout(() => socket.destroy(), lingerLimit).unref();
    logger.info({ requestId, route: "none", status: 400, code: problem.code, reason }, "request");
  }
}
