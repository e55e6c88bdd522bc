/** Reads of many things, each shared by those who ask for the same one, and kept while it is in demand. */
export interface SharedReads<T> {
  /**
   * What was read of this thing, where it may still be given; asked once for everybody who wants to know.
   *
   * @param readAhead Is told, by one of those who ask, to {@link read} it anew before what is kept is too old. When it
   * fails, somebody else is.
   */
  kept(key: string, readAhead: () => Promise<unknown>): T | undefined;
  /** The read of this thing that can be joined. */
  running(key: string): Promise<T> | undefined;
  /** Joins a read, or starts one. */
  read(key: string): Promise<T>;
}

export interface SharingLimits<T> {
  /** Milliseconds after its start in which a read can be joined, and what it brought be given. */
  readonly lasts: number;
  /** How many must ask for a thing, in so many milliseconds, before what was read of it is kept. */
  readonly demand: number;
  /** How many things are known at once; who was not asked for longest goes first. */
  readonly atMost: number;
  mayKeep(answer: T): boolean;
}

interface Shared<T> {
  underWay?: { readonly answer: Promise<T>; readonly since: number } | undefined;
  kept?: { readonly answer: T; readonly since: number } | undefined;
  isReadAhead: boolean;
  /** How many have asked since when, and when the last one did. */
  asks: number;
  asksSince: number;
  asked: number;
}

/**
 * Lets those who ask for the same thing at the same time share one read. What failed is asked again. While fewer than
 * `demand` ask for a thing, nothing outlives the read: nobody is given what was read before they asked, but for the
 * time that they may join late. Once in demand, what was read is given to everybody for as long as it lasts, and read
 * anew when half of that is over.
 */
export function shareReads<T>(
  read: (key: string) => Promise<T>,
  { lasts, demand, atMost, mayKeep }: SharingLimits<T>,
): SharedReads<T> {
  /** In the order in which they were last asked for. */
  const known = new Map<string, Shared<T>>();

  const isOver = ({ since }: { since: number }) => performance.now() - since >= lasts;

  function ask(key: string): Shared<T> {
    const now = performance.now();
    const shared = known.get(key) ?? { isReadAhead: false, asks: 0, asksSince: now, asked: now };
    known.delete(key);
    known.set(key, shared);
    if (now - shared.asksSince >= lasts) Object.assign(shared, { asks: 0, asksSince: now });
    shared.asks++;
    shared.asked = now;
    for (const [oldest, { asked }] of known) {
      // What nobody asked for in that time can neither be joined nor given any more.
      if (known.size <= atMost && now - asked < lasts) break;
      known.delete(oldest);
    }
    return shared;
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
 * Keeps what was read for a while. Whoever asks while a read is under way waits for that one, however long it takes: a
 * slow node is not asked twice. What failed is asked again.
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
