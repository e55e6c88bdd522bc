import { sql } from "kysely";
import type { Database } from "./database.ts";

/** How often a key was answered: by one replica since it last told, or by all of them together. */
export interface LimitCount {
  /** A keyed hash; see limitAmongReplicas. */
  readonly key: string;
  readonly count: number;
  /** Milliseconds until the count begins anew. */
  readonly left: number;
}

/** What replicas have answered, minute by minute, for limits that they hold together. */
export interface LimitCounts {
  /**
   * Adds to the counts of keys, each of which is named once. Answers what they are then, of all replicas. A count that is
   * over by the database's clock begins anew, and lasts as long as was given.
   */
  countRequests(answered: readonly LimitCount[]): Promise<LimitCount[]>;
}

/** Milliseconds until counts that are over are deleted. */
const keptFor = 60_000;

export function createLimitCounts({ db, clock }: Database): LimitCounts & { stop(): void } {
  let due: NodeJS.Timeout | undefined;
  let countedSince = false;
  let stopped = false;

  /** Also when nobody comes any more. */
  function sweepLater(): void {
    countedSince = true;
    if (!stopped) due ??= setTimeout(sweep, keptFor).unref();
  }

  async function sweep(): Promise<void> {
    due = undefined;
    countedSince = false;
    const over = db.deleteFrom("limit_counts").where("ends_at", "<=", clock).execute();
    await over.catch(sweepLater);
    if (countedSince) sweepLater();
  }

  return {
    async countRequests(answered) {
      sweepLater();
      const isOver = sql`limit_counts.ends_at <= ${clock}`;
      const rows = await db
        .insertInto("limit_counts")
        .values(
          // In one order, so that no two replicas wait for each other's rows.
          [...answered]
            .sort((one, other) => (one.key < other.key ? -1 : 1))
            .map(({ key, count, left }) => ({ key, count, ends_at: sql<number>`${clock} + ${left}` })),
        )
        .onConflict((conflict) =>
          conflict.column("key").doUpdateSet({
            count: sql`case when ${isOver} then excluded.count else limit_counts.count + excluded.count end`,
            ends_at: sql`case when ${isOver} then excluded.ends_at else limit_counts.ends_at end`,
          }),
        )
        .returning(["key", "count", sql<number>`ends_at - ${clock}`.as("left")])
        .execute();
      return rows.map(({ key, count, left }) => ({ key, count: Number(count), left: Number(left) }));
    },
    stop() {
      stopped = true;
      clearTimeout(due);
    },
  };
}
