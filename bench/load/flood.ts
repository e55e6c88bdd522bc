// Sends the same requests again and again, as many at a time as it may, until it is told to stop: an attacker. Run by
// itself, this file is the attacker's process.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Connection, frame, openConnection } from "./connection.ts";

export interface FloodTask {
  /** The service, without a slash at the end. */
  readonly url: string;
  /** The address that it comes from, where the system has several on loopback. */
  readonly from: string;
  /** JSON, each of them. */
  readonly bodies: readonly string[];
  readonly connections: number;
}

/** How many answers had each status; 0 is none at all. */
export type Statuses = Readonly<Record<string, number>>;

export function startFlood(task: FloodTask): { stop(): Promise<Statuses> } {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: [] });
  child.send(task);
  return {
    async stop() {
      const answered = once(child, "message");
      child.send("stop");
      const [statuses] = await answered;
      child.disconnect();
      return statuses;
    },
  };
}

function flood({ url, from, bodies, connections }: FloodTask): Statuses {
  const framed = bodies.map((body) => frame(url, body));
  const statuses: Record<string, number> = {};
  let sent = 0;
  const sendOne = (connection: Connection) => {
    connection.send(framed[sent++ % framed.length] as Buffer, async (status) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 0) await delay(10);
      sendOne(connection);
    });
  };
  for (let i = 0; i < connections; i++) sendOne(openConnection(url, from));
  return statuses;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.send !== undefined) {
  // An attacker has a machine of its own: here it must not keep the node or the other client waiting for a core.
  setPriority(19);
  let statuses: Statuses = {};
  process.on("message", (message: FloodTask | "stop") => {
    if (message === "stop") process.send?.(statuses);
    else statuses = flood(message);
  });
  process.once("disconnect", () => process.exit());
}
