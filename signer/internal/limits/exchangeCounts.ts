import type { LimitCount, LimitCounts } from "../credentials/limitCounts.ts";

/** What one process knows of a key's requests in the current minute. */
export interface KnownCount {
  /** Its key in the store, once it is told there. */
  row: string;
  /** How many this process has answered that the store does not know of. */
  untold: number;
  /** How many the store told of, of all replicas. */
  told: number;
  /** When the count begins anew, by `performance.now`. */
  ends: number;
}

/** Tells the store what this process answered, and learns what all replicas did. */
export interface CountExchange {
  /**
   * Counts a request in the store.
   *
   * @returns Its number among all replicas' requests; undefined where the store does not tell in time, and then the request
   * is one of those that are untold.
   */
  tell(known: KnownCount): Promise<number | undefined>;
}

/** Milliseconds that the store may take, and for which it is not asked when it took longer, or failed. */
const [patience, pause] = [500, 1_000];

/** Rows of one statement. */
const atOnce = 500;

type Waiting = ((position: number | undefined) => void)[];

/**
 * Exchanges counts, of all keys that are due in one statement, and of one statement at a time: those who come meanwhile
 * go with the next one.
 *
 * @param onChange Told when the store fails to tell in time, and when it does again.
 */
export function exchangeCounts(
  { countRequests }: LimitCounts,
  onChange: (isShared: boolean) => void,
): CountExchange {
  let waiting = new Map<KnownCount, Waiting>();
  let isAsking = false;
  let isShared = true;
  let pausedUntil = 0;

  function note(shared: boolean): void {
    if (shared !== isShared) onChange(shared);
    isShared = shared;
  }

  function giveUp(given: Map<KnownCount, Waiting>): void {
    for (const [known, those] of given) {
      known.untold += those.length;
      for (const answer of those) answer(undefined);
    }
  }

  function takeNext(): Map<KnownCount, Waiting> {
    const next = new Map([...waiting].slice(0, atOnce));
    for (const known of next.keys()) waiting.delete(known);
    return next;
  }

  async function ask(asked: Map<KnownCount, Waiting>): Promise<void> {
    const sent = [...asked].map(([known, those]) => ({ known, those, count: known.untold + those.length }));
    let isLate = false;
    function fail(): void {
      pausedUntil = Number.POSITIVE_INFINITY;
      note(false);
      giveUp(asked);
      giveUp(waiting);
      waiting = new Map();
    }
    let isAnswered = false;
    // After an answer that came while this process was busy: not the store is slow then.
    const late = setTimeout(() => setImmediate(giveUpWaiting), patience);
    function giveUpWaiting(): void {
      if (isAnswered) return;
      isLate = true;
      fail();
    }
    try {
      const now = performance.now();
      const counts = await countRequests(sent.map(({ known, count }) => toRow(known, count, now)));
      const byRow = new Map(counts.map((each) => [each.key, each]));
      for (const { known, those, count } of sent) {
        learn(known, byRow.get(known.row));
        known.untold -= isLate ? count : count - those.length;
        // Their places are the last of those that the store has counted.
        let position = known.told - those.length;
        if (!isLate) for (const answer of those) answer(++position);
      }
      if (!isLate) note(true);
    } catch {
      if (!isLate) fail();
    }
    isAnswered = true;
    clearTimeout(late);
    if (!isShared) pausedUntil = performance.now() + pause;
  }

  async function askAll(): Promise<void> {
    isAsking = true;
    while (waiting.size > 0) await ask(takeNext());
    isAsking = false;
  }

  return {
    tell(known) {
      if (performance.now() < pausedUntil) {
        known.untold++;
        return Promise.resolve(undefined);
      }
      return new Promise((resolve) => {
        const those = waiting.get(known);
        if (those === undefined) waiting.set(known, [resolve]);
        else those.push(resolve);
        if (!isAsking) void askAll();
      });
    },
  };
}

const toRow = ({ row, ends }: KnownCount, count: number, now: number): LimitCount => ({
  key: row,
  count,
  left: Math.max(1, Math.ceil(ends - now)),
});

function learn(known: KnownCount, counted: LimitCount | undefined): void {
  if (counted === undefined) throw new Error("The store has not counted what it was told.");
  known.told = counted.count;
  known.ends = performance.now() + counted.left;
}
