/** Reads by key. Concurrent callers share a read, and a key in demand keeps its answer. */
export interface SharedReads<T> {
  /**
   * The kept answer, if it is still valid. Call it once for each caller.
   *
   * @param readAhead Called for one of the callers, to {@link read} the key again before its answer is too old. If it
   * fails, it is called for another one.
   */
  kept(key: string, readAhead: () => Promise<unknown>): T | undefined;
  /** The read under way, if it can still be joined. */
  running(key: string): Promise<T> | undefined;
  /** Joins a read, or starts one. */
  read(key: string): Promise<T>;
}

export interface SharingLimits<T> {
  /** Milliseconds after its start for which a read can be joined and its answer be used. */
  readonly lasts: number;
  /** The number of callers within `lasts` from which an answer is kept. */
  readonly demand: number;
  /** The greatest number of keys. The least recently used one goes first. */
  readonly atMost: number;
  mayKeep(answer: T): boolean;
}

interface Shared<T> {
  underWay?: { readonly answer: Promise<T>; readonly since: number } | undefined;
  kept?: { readonly answer: T; readonly since: number } | undefined;
  isReadAhead: boolean;
  /** The number of callers since `asksSince`, and the time of the last one. */
  asks: number;
  asksSince: number;
  asked: number;
}

/**
 * Lets concurrent callers of a key share one read. A failed read is not kept. With fewer callers than `demand`, no answer
 * outlives its read. From `demand` on, every caller gets the kept answer for as long as it lasts, and the key is read again
 * after half of that time.
 */
export function shareReads<T>(
  read: (key: string) => Promise<T>,
  { lasts, demand, atMost, mayKeep }: SharingLimits<T>,
): SharedReads<T> {
  const known = new Map<string, Shared<T>>();

  const isOver = ({ since }: { since: number }) => performance.now() - since >= lasts;

  function ask(key: string): Shared<T> {
    const now = performance.now();
    let shared = known.get(key);
    if (shared === undefined) {
      shared = { isReadAhead: false, asks: 0, asksSince: now, asked: now };
      makeRoom(now);
      known.set(key, shared);
    }
    if (now - shared.asksSince >= lasts) Object.assign(shared, { asks: 0, asksSince: now });
    shared.asks++;
    shared.asked = now;
    return shared;
  }

  function makeRoom(now: number): void {
    let [oldest, askedFirst] = ["", Number.POSITIVE_INFINITY];
    for (const [key, { asked }] of known) {
      // A key without callers in that time has neither a read to join nor a valid answer.
      if (now - asked >= lasts) known.delete(key);
      else if (asked < askedFirst) [oldest, askedFirst] = [key, asked];
    }
    if (known.size >= atMost) known.delete(oldest);
  }

  function kept(key: string, readAhead: () => Promise<unknown>): T | undefined {
    const shared = ask(key);
    if (shared.kept === undefined || isOver(shared.kept)) return undefined;
    const { answer, since } = shared.kept;
    if (performance.now() - since >= lasts / 2 && !shared.isReadAhead) {
      shared.isReadAhead = true;
      const end = () => {
        shared.isReadAhead = false;
      };
      readAhead().then(end, end);
    }
    return answer;
  }

  function running(key: string): Promise<T> | undefined {
    const underWay = known.get(key)?.underWay;
    return underWay === undefined || isOver(underWay) ? undefined : underWay.answer;
  }

  function start(key: string): Promise<T> {
    const shared = known.get(key) ?? ask(key);
    const started = { answer: read(key), since: performance.now() };
    shared.underWay = started;
    const end = () => {
      if (shared.underWay === started) shared.underWay = undefined;
    };
    started.answer.then((answer) => {
      end();
      keep(shared, { answer, since: started.since });
    }, end);
    return started.answer;
  }

  function keep(shared: Shared<T>, found: { answer: T; since: number }): void {
    if (shared.kept !== undefined && shared.kept.since > found.since) return;
    const isInDemand = shared.asks >= demand || (shared.kept !== undefined && !isOver(shared.kept));
    shared.kept = isInDemand && mayKeep(found.answer) ? found : undefined;
  }

  return { kept, running, read: (key) => running(key) ?? start(key) };
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
