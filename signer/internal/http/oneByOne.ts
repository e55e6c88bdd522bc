import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The answer that is under way on each connection. */
const underWay = new WeakMap<Socket, ServerResponse>();

/**
 * Handles one request of a connection at a time. A connection that sends another one before its answer has left is ended:
 * Node would take all that come, and keep all their answers for a client that may read none. Browsers, proxies and HTTP
 * libraries wait for the answer; a client that does not has to ask again where a connection ends (RFC 9112, section 9.3.2).
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
