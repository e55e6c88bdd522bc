import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The unfinished response of each connection. */
const underWay = new WeakMap<Socket, ServerResponse>();

/**
 * Handles one request of a connection at a time. A connection that sends another request before the response is
 * finished is closed: Node would accept every request, and keep all responses for a client that may read none.
 * Browsers, proxies and HTTP libraries wait for the response. A client that pipelines has to retry when a connection
 * closes (RFC 9112, section 9.3.2).
 */
export function oneByOne(handle: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const current = underWay.get(socket);
    if (current !== undefined && current !== response) return void socket.destroy();
    underWay.set(socket, response);
    response.once("finish", () => underWay.delete(socket));
    handle(request, response);
  };
}
