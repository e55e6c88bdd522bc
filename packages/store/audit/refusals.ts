import { type Kysely, sql } from "kysely";
import type { Schema } from "../database/schema.ts";

/**
 * The refusals that are counted: those of contracts with a pinned policy. So a contract has at most as many counts a day
 * as there are reasons here, and nobody makes rows for contracts that do not exist.
 */
export const refusalReasons = [
  "verification_not_found",
  "needs_reauth",
  "conditions_not_satisfied",
  "invalid_policy",
] as const;

/** How often requests for a contract were refused for a reason on a day. It names no person. */
export interface Refusals {
  readonly chainId: number;
  /** EIP-55 checksummed. */
  readonly consumer: string;
  /** In UTC, such as 2026-01-31. */
  readonly day: string;
  readonly reason: string;
  readonly count: number;
}

export interface RefusalCounter {
  /** Counts a refused request, if its reason is counted. Writes the counts every few seconds, and at the end. */
  countRefusal(place: Pick<Refusals, "chainId" | "consumer">, reason: string): Promise<void>;
}

/** Milliseconds between two writes. A process that is killed loses the counts of this time. */
const pauseMs = 5_000;

/** The most counts that wait for the next write. Further ones are lost: that many contracts are asked for in no honest way. */
const mostWaiting = 10_000;

/** The number of counts in a statement. SQLite takes no more than 32,766 values. */
const statementSize = 500;

/** Counts refused requests in the store, for all processes together. */
export function createRefusalCounter(db: Kysely<Schema>): RefusalCounter & { stop(): Promise<void> } {
  const waiting = new Map<string, Refusals>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    // Written in the order of their keys: two processes that wait for each other's rows would wait forever.
    const counts = [...waiting].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
    waiting.clear();
    // A failed write is not tried again, because it may have counted.
    writing = writing.then(() => add(db, counts)).catch(() => undefined);
  }

  return {
    async countRefusal({ chainId, consumer }, reason) {
      if (!refusalReasons.some((each) => each === reason)) return;
      const day = new Date(Date.now()).toISOString().slice(0, 10);
      const key = [chainId, consumer, day, reason].join();
      const count = 1 + (waiting.get(key)?.count ?? 0);
      if (count === 1 && waiting.size >= mostWaiting) return;
      waiting.set(key, { chainId, consumer, day, reason, count });
      timer ??= setTimeout(write, pauseMs).unref();
    },
    /** Writes what waits. */
    async stop() {
      write();
      await writing;
    },
  };
}

async function add(db: Kysely<Schema>, counts: readonly Refusals[]): Promise<void> {
  for (let from = 0; from < counts.length; from += statementSize) {
    const rows = counts
      .slice(from, from + statementSize)
      .map(({ chainId: chain_id, ...count }) => ({ chain_id, ...count }));
    await db
      .insertInto("refusals")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["chain_id", "consumer", "day", "reason"])
          .doUpdateSet({ count: sql<number>`refusals.count + excluded.count` }),
      )
      .execute();
  }
}
