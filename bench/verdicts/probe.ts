import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Try } from "./outage.ts";

/** Milliseconds between two probes, and for which one is waited for. */
const [interval, patience] = [200, 3_000];

/** Writes to a database again and again, over a new connection each time, and notes when that succeeds. */
export function startProbe(url: string): { readonly tries: readonly Try[]; stop(): Promise<void> } {
  const tries: Try[] = [];
  const running = new Set<Promise<void>>();
  let isStopped = false;

  async function probe(): Promise<void> {
    const sent = performance.now();
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: patience,
      query_timeout: patience,
    });
    client.on("error", () => undefined);
    let isGood = true;
    try {
      await client.connect();
      await client.query("insert into probe values ($1)", [Date.now()]);
    } catch {
      isGood = false;
    }
    tries.push({ sent, done: performance.now(), isGood });
    await client.end().catch(() => undefined);
  }

  async function keepProbing(): Promise<void> {
    // Those before are not waited for: one that hangs must not hide that others succeed.
    while (!isStopped) {
      const one = probe().finally(() => running.delete(one));
      running.add(one);
      await delay(interval);
    }
    await Promise.all(running);
  }

  const done = keepProbing();
  return {
    tries,
    async stop() {
      isStopped = true;
      await done;
    },
  };
}
