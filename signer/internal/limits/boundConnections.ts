import type { Server } from "node:http";
import type { Socket } from "node:net";
import { connectionReader } from "../network/clientAddress.ts";

/** The greatest number of connections of a client: about fifteen people at one address, each with a browser. */
const maxOfOneClient = 100;

/** The greatest number of connections in all. Fewer than there is room and line for, so that each request has a place. */
const maxInAll = 500;

/** The bytes of a request on average, at most. */
const requestBytes = 8 * 1024;

/** The seconds by which a client may be ahead of that. */
const maxAheadSeconds = 4;

/** Milliseconds from one look at what clients have sent to the next. */
const lookEveryMs = 50;

interface OpenConnection {
  readonly client: string;
  /** The bytes from it that were counted for its client. */
  counted: number;
  /** Whether nothing is read from it for now. */
  rests: boolean;
  /** The time of its latest request, or of its start, by `performance.now()`. */
  usedAt: number;
}

/**
 * Closes a client's connections beyond a hundred: each can bring a request at any time, and uses a file descriptor.
 * Above five hundred in all, it closes the idlest one of the client with the most. So a client with many addresses keeps
 * nobody else out.
 *
 * Reads from a client as many bytes as the requests that it may make have. While it has sent more, its connections rest,
 * and are then read one after the other. A chunk of one byte costs almost as much time as a large one.
 *
 * @param requests Requests a minute of one client.
 * @param trustProxy The proxies that are exempt.
 * @param refused Called for each connection that a limit closes.
 */
export function boundConnections(
  server: Server,
  requests: number,
  trustProxy: number | readonly string[],
  refused: () => void,
): void {
  const readClient = connectionReader(trustProxy);
  const open = new Map<Socket, OpenConnection>();
  const bytesPerSecond = (requests / 60) * requestBytes;
  /** The bytes that clients have sent lately, beyond those that they may. */
  const ahead = new Map<string, number>();
  let lookedAt = performance.now();

  function count(socket: Socket, connection: OpenConnection): void {
    const { client, counted } = connection;
    connection.counted = socket.bytesRead;
    ahead.set(client, (ahead.get(client) ?? 0) + socket.bytesRead - counted);
  }

  const isAhead = (client: string) => (ahead.get(client) ?? 0) > maxAheadSeconds * bytesPerSecond;

  function rest(socket: Socket, connection: OpenConnection): void {
    connection.rests = true;
    socket.pause();
  }

  const look = setInterval(() => {
    const allowed = (bytesPerSecond * (performance.now() - lookedAt)) / 1_000;
    lookedAt = performance.now();
    for (const [socket, connection] of open) count(socket, connection);
    for (const [client, bytes] of ahead) {
      if (bytes > allowed) ahead.set(client, bytes - allowed);
      else ahead.delete(client);
    }
    const resumed = new Set<string>();
    for (const [socket, connection] of [...open]) {
      const { client, rests } = connection;
      if (isAhead(client)) rest(socket, connection);
      else if (rests && !resumed.has(client)) {
        resumed.add(client);
        connection.rests = false;
        socket.resume();
        // The others come first the next time.
        open.delete(socket);
        open.set(socket, connection);
      }
    }
  }, lookEveryMs).unref();
  server.once("close", () => clearInterval(look));

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
    const connection = { client, counted: 0, rests: false, usedAt: performance.now() };
    open.set(socket, connection);
    if (isAhead(client)) rest(socket, connection);
    socket.once("close", () => {
      count(socket, connection);
      open.delete(socket);
    });
    if (open.size > maxInAll) closeOne();
  });
  server.on("request", ({ socket }) => {
    const connection = open.get(socket);
    if (connection !== undefined) connection.usedAt = performance.now();
  });
}
