import type { Server } from "node:net";
import { connectionReader } from "./clientAddress.ts";

/** As many as a browser opens to one host, for some fifteen people behind one address. */
const atMost = 100;

/**
 * Closes the connections that a client opens beyond a hundred: each may bring a request at any time, and keeps a file open.
 *
 * @param trustProxy Which proxies are excepted.
 * @param refused Told of each that is one too many.
 */
export function boundConnections(
  server: Server,
  trustProxy: number | readonly string[],
  refused: () => void,
): void {
  const readClient = connectionReader(trustProxy);
  const open = new Map<string, number>();
  server.on("connection", (socket) => {
    const client = readClient(socket);
    if (client === undefined) return;
    const count = (open.get(client) ?? 0) + 1;
    if (count > atMost) {
      refused();
      return void socket.destroy();
    }
    open.set(client, count);
    socket.once("close", () => {
      const rest = (open.get(client) ?? 1) - 1;
      if (rest > 0) open.set(client, rest);
      else open.delete(client);
    });
  });
}
