import { BoundedMap } from "./boundedMap.ts";

/** Reads by key, of which concurrent callers share the answer, and later ones for a while. */
export interface SharedReads<T> {
  /** The latest read, if its answer can still be used. */
  recent(key: string): Promise<T> | undefined;
  /** The answer of the latest read, if it is there and can still be used. */
  kept(key: string): T | undefined;
  /** Starts a read, which replaces the latest. */
  read(key: string): Promise<T>;
}

export interface SharingLimits<T> {
  /** Milliseconds after its start for which a read can be joined and its answer be used. */
  readonly lastsMs: number;
  /** The greatest number of keys. */
  readonly atMost: number;
  /** Whether an answer can be used once its read has ended. A failed read's cannot. */
  mayKeep(answer: T): boolean;
}

/** A read, until when its answer can be used, and that answer once it is there. */
interface SharedRead<T> {
  readonly answer: Promise<T>;
  until: number;
  kept?: T;
}

export function shareReads<T>(
  read: (key: string) => Promise<T>,
  { lastsMs, atMost, mayKeep }: SharingLimits<T>,
): SharedReads<T> {
  const latest = new BoundedMap<string, SharedRead<T>>(atMost);
  /** The latest read, if its time is not over. */
  function find(key: string): SharedRead<T> | undefined {
    const one = latest.get(key);
    return one !== undefined && performance.now() < one.until ? one : undefined;
  }
  return {
    recent: (key) => find(key)?.answer,
    kept: (key) => find(key)?.kept,
    read(key) {
      const one: SharedRead<T> = { answer: read(key), until: performance.now() + lastsMs };
      latest.set(key, one);
      const end = () => {
        one.until = 0;
      };
      one.answer.then((answer) => {
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
