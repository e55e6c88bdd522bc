import type { Server } from "node:net";
import { connectionReader } from "./clientAddress.ts";

/** The greatest number of connections of a client: about fifteen people at one address, each with a browser. */
const atMost = 100;

/**
 * Closes a client's connections beyond a hundred: each can bring a request at any time, and uses a file descriptor.
 *
 * @param trustProxy The proxies that are exempt.
 * @param refused Called for each connection over the limit.
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
