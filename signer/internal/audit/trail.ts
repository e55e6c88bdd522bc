import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { persistStore } from "../database/persistStore.ts";
import type { AuditEntry, AuditEvent, Head } from "./auditEntry.ts";
import type { ChainSeal } from "./chain.ts";
import { findHeads } from "./findHeads.ts";
import type { AuditRows } from "./rows.ts";

/** The audit trail, as a process writes it: a chain of its own, so that none waits for another. */
export interface AuditTrail {
  /** Enters what is signed or changed. Once it resolves, the database has it for good. */
  enter(...events: readonly AuditEvent[]): Promise<void>;
  /** Fails where nothing may be entered. Writes nothing: what is entered stays. */
  checkWriting(): Promise<void>;
  /** Ends the chain. Never fails: a store that is away is left without its end. */
  close(): Promise<void>;
}

/** Where the chain of this process goes on. */
interface Chain {
  readonly writer: string;
  readonly next: number;
  /** Of the last row; "" where there is none. */
  readonly hash: string;
  /** Unix milliseconds. */
  readonly writtenAt: number;
  /** When the rows of others were noted last, unix milliseconds. */
  readonly sawOthersAt: number;
  /** The last row of each other chain that this one names. */
  readonly seen: ReadonlyMap<string, number>;
}

/** Who is told what the trail alone does not show. */
export interface TrailWatch {
  /** Told what the last row is, now and then and at the end: kept outside of the database, it shows that none was removed. */
  readonly onHead: (head: Head) => void;
  /** Told what is wrong with the end of another chain. */
  readonly onProblem: (problem: string) => void;
}

/** Milliseconds. */
const seeOthersEvery = 600_000;

/** Entries that stand in one row at most. */
const rowLimit = 500;

/**
 * Writes entries of requests that wait at the same time in one row. A row that could not be written ends the chain, for
 * nobody knows whether it is there; what comes next begins another one.
 */
export function openTrail(
  { insert, readEnds, readLast, checkInserting }: AuditRows,
  seal: ChainSeal,
  { onHead, onProblem }: TrailWatch,
): AuditTrail {
  const rows = persistStore({ insert, readEnds, readLast, checkInserting }, []);
  let chain: Chain | undefined;
  let waiting: { readonly entries: AuditEntry[]; readonly written: Promise<void> } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function write(entries: readonly AuditEntry[], isLast = false): Promise<void> {
    const { writer, next, hash, writtenAt, sawOthersAt, seen } = chain ?? newChain();
    chain = undefined;
    const at = Math.max(Date.now(), writtenAt);
    const isDue = at - sawOthersAt >= seeOthersEvery;
    const news = isDue ? await seeOthers(writer, seen) : undefined;
    const ownEntries = [
      ...(next === 0 ? [{ at, event: "chain-started" as const, host: hostname(), pid: process.pid }] : []),
      ...(news === undefined ? [] : [{ at, event: "chains-seen" as const, ...news }]),
    ];
    const row = seal.close({ writer, number: next, writtenAt: at }, hash, [...ownEntries, ...entries]);
    await rows.insert(row);
    chain = {
      writer,
      next: next + 1,
      hash: row.hash,
      writtenAt: at,
      sawOthersAt: isDue ? at : sawOthersAt,
      seen: news === undefined ? seen : new Map([...seen, ...news.heads.map(toPair)]),
    };
    if (isDue || isLast) onHead({ writer, number: next, hash: row.hash });
  }

  /** What this chain has not named yet. */
  async function seeOthers(own: string, seen: Chain["seen"]) {
    const { heads, problems } = await findHeads(rows, seal);
    problems.forEach(onProblem);
    return {
      heads: heads.filter(({ writer, number }) => writer !== own && seen.get(writer) !== number),
      ...(problems.length === 0 ? {} : { problems }),
    };
  }

  function collect() {
    const entries: AuditEntry[] = [];
    // What arrives in this turn of the event loop goes along.
    const written = last
      .then(() => nextTurn())
      .then(() => {
        if (waiting?.entries === entries) waiting = undefined;
        return write(entries);
      });
    last = written.catch(() => undefined);
    return { entries, written };
  }

  function enter(entry: AuditEntry): Promise<void> {
    if (waiting === undefined || waiting.entries.length >= rowLimit) waiting = collect();
    waiting.entries.push(entry);
    return waiting.written;
  }

  return {
    async enter(...events) {
      const at = Date.now();
      const rows = new Set(events.map((event) => enter({ at, ...event })));
      await Promise.all(rows);
    },
    checkWriting: rows.checkInserting,
    async close() {
      await last;
      if (chain === undefined) return;
      await write([{ at: Date.now(), event: "chain-ended" }], true).catch(() => undefined);
      chain = undefined;
    },
  };
}

const toPair = ({ writer, number }: Head) => [writer, number] as const;

const newChain = (): Chain => ({
  writer: randomBytes(16).toString("hex"),
  next: 0,
  hash: "",
  writtenAt: 0,
  sawOthersAt: 0,
  seen: new Map(),
});
