import { BoundedMap } from "./boundedMap.ts";

/** Reads by key, of which concurrent callers share the answer, and later ones for a while. */
export interface SharedReads<T> {
  /**
   * The answer of the latest read, or of the one before until that is there, if it can still be used.
   *
   * @param renew Called when that answer will soon be too old, once for each answer, to start the next read.
   */
  answer(key: string, renew?: () => void): T | undefined;
  /** The latest read, if its answer can still be used. */
  latest(key: string): Promise<T> | undefined;
  /** Starts a read, which replaces the latest. */
  start(key: string): Promise<T>;
}

export interface SharingLimits<T> {
  /** Milliseconds after its start for which a read can be joined and its answer be used. */
  readonly lastsMs: number;
  /** Milliseconds after its start from which the next read is due. */
  readonly dueMs: number;
  /** The greatest number of keys. */
  readonly atMost: number;
  /** Whether an answer can be used once its read has ended. A failed read's cannot. */
  mayKeep(answer: T): boolean;
}

/** A read, until when its answer can be used, when the next read is due, and that answer once it is there. */
interface SharedRead<T> {
  readonly answer: Promise<T>;
  until: number;
  dueAt: number;
  kept?: T;
  /** A read before, whose answer can be used until this one's is there. */
  before?: SharedRead<T> | undefined;
}

export function shareReads<T>(
  read: (key: string) => Promise<T>,
  { lastsMs, dueMs, atMost, mayKeep }: SharingLimits<T>,
): SharedReads<T> {
  const reads = new BoundedMap<string, SharedRead<T>>(atMost);
  /** Returns the read if its time is not over. */
  const current = (one: SharedRead<T> | undefined) =>
    one !== undefined && performance.now() < one.until ? one : undefined;
  return {
    answer(key, renew) {
      const one = reads.get(key);
      const kept = current(one)?.kept ?? current(one?.before)?.kept;
      if (renew && kept !== undefined && one?.kept !== undefined && performance.now() >= one.dueAt) {
        one.dueAt = Number.POSITIVE_INFINITY;
        renew();
      }
      return kept;
    },
    latest: (key) => current(reads.get(key))?.answer,
    start(key) {
      const last = reads.get(key);
      const since = performance.now();
      const one: SharedRead<T> = {
        answer: read(key),
        until: since + lastsMs,
        dueAt: since + dueMs,
        before: last?.kept === undefined ? last?.before : last,
      };
      reads.set(key, one);
      const end = () => {
        one.until = 0;
      };
      one.answer.then((answer) => {
        one.before = undefined;
        if (mayKeep(answer)) one.kept = answer;
        else end();
      }, end);
      return one.answer;
    },
  };
}

/**
 * Keeps an answer for a while. Callers during a read wait for it, however long it takes, so that a slow node is not asked
 * twice. A failed read is not kept.
 *
 * @param keepFor Milliseconds from the start of a read.
 */
export function keepReading<T>(read: () => Promise<T>, keepFor: number): () => Promise<T> {
  let last: { answer: Promise<T>; since: number; isUnderWay: boolean } | undefined;
  return () => {
    if (last !== undefined && (last.isUnderWay || performance.now() - last.since < keepFor))
      return last.answer;
    const started = { answer: read(), since: performance.now(), isUnderWay: true };
    last = started;
    const end = () => {
      started.isUnderWay = false;
    };
    started.answer.then(end, () => {
      last = undefined;
    });
    return started.answer;
  };
}
