import type { Server } from "node:http";
import type { Socket } from "node:net";
import { connectionReader } from "../network/clientAddress.ts";

/** The greatest number of connections of a client: about fifteen people at one address, each with a browser. */
const maxOfOneClient = 100;

/** The greatest number of connections in all. Fewer than there is room and line for, so that each request has a place. */
const maxInAll = 500;

interface OpenConnection {
  readonly client: string;
  /** The time of its latest request, or of its start, by `performance.now()`. */
  usedAt: number;
}

/**
 * Closes a client's connections beyond a hundred: each can bring a request at any time, and uses a file descriptor.
 * Above five hundred in all, it closes the idlest one of the client with the most. So a client with many addresses keeps
 * nobody else out.
 *
 * @param trustProxy The proxies that are exempt.
 * @param refused Called for each connection that a limit closes.
 */
export function boundConnections(
  server: Server,
  trustProxy: number | readonly string[],
  refused: () => void,
): void {
  const readClient = connectionReader(trustProxy);
  const open = new Map<Socket, OpenConnection>();

  function closeOne(): void {
    const counts = new Map<string, number>();
    for (const { client } of open.values()) counts.set(client, (counts.get(client) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const [found] = [...open]
      .filter(([, { client }]) => counts.get(client) === most)
      .sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (found === undefined) return;
    refused();
    // A destroyed socket has its event later.
    open.delete(found[0]);
    found[0].destroy();
  }

  server.on("connection", (socket) => {
    const client = readClient(socket);
    if (client === undefined) return;
    if ([...open.values()].filter((other) => other.client === client).length >= maxOfOneClient) {
      refused();
      return void socket.destroy();
    }
    open.set(socket, { client, usedAt: performance.now() });
    socket.once("close", () => open.delete(socket));
    if (open.size > maxInAll) closeOne();
  });
  server.on("request", ({ socket }) => {
    const connection = open.get(socket);
    if (connection !== undefined) connection.usedAt = performance.now();
  });
}
