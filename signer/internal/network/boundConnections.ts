import type { Server } from "node:http";
import type { Socket } from "node:net";
import { connectionReader } from "./clientAddress.ts";

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
 * Beyond five hundred in all, it closes the one that has brought nothing for longest, of the client with the most. So
 * whoever has many addresses keeps nobody else out.
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
  const counts = new Map<string, number>();
  const countOf = (client: string) => counts.get(client) ?? 0;

  function forget(socket: Socket): void {
    const client = open.get(socket)?.client;
    if (client === undefined) return;
    open.delete(socket);
    const rest = countOf(client) - 1;
    if (rest > 0) counts.set(client, rest);
    else counts.delete(client);
  }

  function closeOne(): void {
    let most = 0;
    let longest = Number.POSITIVE_INFINITY;
    let found: Socket | undefined;
    for (const [socket, { client, usedAt }] of open) {
      const count = countOf(client);
      if (count < most || (count === most && usedAt >= longest)) continue;
      most = count;
      longest = usedAt;
      found = socket;
    }
    if (found === undefined) return;
    refused();
    // A destroyed socket has its event later.
    forget(found);
    found.destroy();
  }

  server.on("connection", (socket) => {
    const client = readClient(socket);
    if (client === undefined) return;
    if (countOf(client) >= maxOfOneClient) {
      refused();
      return void socket.destroy();
    }
    open.set(socket, { client, usedAt: performance.now() });
    counts.set(client, countOf(client) + 1);
    socket.once("close", () => forget(socket));
    if (open.size > maxInAll) closeOne();
  });
  server.on("request", ({ socket }) => {
    const connection = open.get(socket);
    if (connection !== undefined) connection.usedAt = performance.now();
  });
}
