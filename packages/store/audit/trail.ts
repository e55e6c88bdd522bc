import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { retryCalls } from "../database/storeCalls.ts";
import type { Logger } from "../logger.ts";
import type { AuditEntry, AuditEvent, Head } from "./auditEntry.ts";
import { findHeads } from "./findHeads.ts";
import type { AuditRows } from "./rows.ts";
import type { SequenceSeal } from "./sequence.ts";

export type AuditTrail = ReturnType<typeof openTrail>;

/** The state of this process's sequence. */
interface Sequence {
  readonly writer: string;
  readonly next: number;
  /** The hash of the last row; "" if there is none. */
  readonly hash: string;
  /** The time of the last row, unix milliseconds. */
  readonly writtenAt: number;
  /** The time at which this sequence last recorded others, unix milliseconds. */
  readonly sawOthersAt: number;
  /** The number of the last recorded row of each other sequence. */
  readonly seen: ReadonlyMap<string, number>;
}

/** The receivers of facts that the trail alone does not show. */
export interface TrailWatch {
  /** Logs the last row from time to time and at the end (a copy outside the database reveals removed rows), and failures. */
  readonly logger: Pick<Logger, "info" | "error"> | undefined;
  /** Called with the problem of an invalid row. */
  readonly onProblem: (problem: string) => void;
}

/** Milliseconds between two readings of the other sequences' ends. */
const seeOthersEveryMs = 600_000;

/** Milliseconds by which the clock may go back within a sequence, in which the rows' times do not. */
const mostBackMs = 1_000;

/** The greatest number of events in one row. */
const maxEntries = 500;

/**
 * Opens the trail of this process. Each process writes its own sequence, so that none waits for another. Concurrent
 * requests share a row. A row that could not be written ends the sequence, because it may or may not be in the database.
 * So does a clock that is set back: the rows after those from the future would get times under which nobody looks for
 * them. The next entry begins another sequence.
 */
export function openTrail(
  { insert, readEnds, readLast, checkInserting }: AuditRows,
  seal: SequenceSeal,
  { logger, onProblem }: TrailWatch,
) {
  const rows = retryCalls({ insert, readEnds, readLast, checkInserting }, []);
  let sequence: Sequence | undefined;
  let waiting: { readonly entries: AuditEntry[]; readonly written: Promise<void> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let checkedAt = 0;

  /** Checks the other sequences' ends if this process enters nothing for a while: its own entries would do so. */
  function checkIfIdle(): void {
    const now = Date.now();
    // The clock may have been set back since.
    const isRecent = (time: number) => Math.abs(now - time) < seeOthersEveryMs;
    if (sequence === undefined || isRecent(sequence.sawOthersAt) || isRecent(checkedAt)) return;
    checkedAt = now;
    findHeads(rows, seal).then(
      ({ problems }) => problems.forEach(onProblem),
      () => undefined,
    );
  }
  const watch = setInterval(checkIfIdle, 60_000).unref();

  async function write(entries: readonly AuditEntry[], isLast = false): Promise<void> {
    const now = Date.now();
    if (sequence !== undefined && sequence.writtenAt - now > mostBackMs) sequence = undefined;
    const { writer, next, hash, writtenAt, sawOthersAt, seen } = sequence ?? newSequence();
    sequence = undefined;
    const at = Math.max(now, writtenAt);
    const isDue = at - sawOthersAt >= seeOthersEveryMs;
    const news = isDue ? await seeOthers(writer, seen) : undefined;
    const ownEntries = [
      ...(next === 0 ? [{ at, event: "sequence-started" as const, host: hostname(), pid: process.pid }] : []),
      ...(news === undefined ? [] : [{ at, event: "sequences-seen" as const, ...news }]),
    ];
    const row = seal.close({ writer, number: next, writtenAt: at }, hash, [...ownEntries, ...entries]);
    await rows.insert(row);
    sequence = {
      writer,
      next: next + 1,
      hash: row.hash,
      writtenAt: at,
      sawOthersAt: isDue ? at : sawOthersAt,
      seen: news === undefined ? seen : new Map([...seen, ...news.heads.map(toPair)]),
    };
    if (isDue || isLast)
      logger?.info({ writer, number: next, hash: row.hash }, "The audit trail's last row.");
  }

  /** Returns the ends of other sequences that this sequence has not recorded yet, and their problems. */
  async function seeOthers(own: string, seen: Sequence["seen"]) {
    const { heads, problems } = await findHeads(rows, seal);
    problems.forEach(onProblem);
    return {
      heads: heads.filter(({ writer, number }) => writer !== own && seen.get(writer) !== number),
      ...(problems.length === 0 ? {} : { problems }),
    };
  }

  function collect() {
    const entries: AuditEntry[] = [];
    const written = last
      .then(() => untilNoneJoins(entries))
      .then(() => {
        if (waiting?.entries === entries) waiting = undefined;
        return write(entries);
      });
    last = written.catch(() => undefined);
    return { entries, written };
  }

  function enter(entry: AuditEntry): Promise<void> {
    if (waiting === undefined || waiting.entries.length >= maxEntries) waiting = collect();
    waiting.entries.push(entry);
    return waiting.written;
  }

  return {
    /** Enters events. They are durable in the database once it resolves. */
    async enter(...events: readonly AuditEvent[]): Promise<void> {
      const at = Date.now();
      await Promise.all(events.map((event) => enter({ at, ...event })));
    },
    /** Fails if nothing can be entered. Writes nothing, because entries are permanent. */
    checkWriting: rows.checkInserting,
    /** Ends the sequence. Never fails: if the store is unavailable, the sequence stays open. */
    async close(): Promise<void> {
      clearInterval(watch);
      await last;
      if (sequence === undefined) return;
      await write([{ at: Date.now(), event: "sequence-ended" }], true).catch(() => undefined);
    },
  };
}

/**
 * Waits until a turn of the event loop adds no entry, so that requests under way share the row. Only requests that have
 * an answer add one, and each then waits for the row, so that the turns come to an end.
 */
async function untilNoneJoins(entries: readonly AuditEntry[]): Promise<void> {
  let count: number;
  do {
    count = entries.length;
    await nextTurn();
  } while (entries.length > count && entries.length < maxEntries);
}

const toPair = ({ writer, number }: Head) => [writer, number] as const;

const newSequence = (): Sequence => ({
  writer: randomBytes(16).toString("hex"),
  next: 0,
  hash: "",
  writtenAt: 0,
  sawOthersAt: 0,
  seen: new Map(),
});
