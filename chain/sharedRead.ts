/** Reads that those share who ask for the same thing at the same time. */
export interface SharedReads<T> {
  /** The read of this thing that can be joined. */
  running(key: string): Promise<T> | undefined;
  /** Joins a read, or starts one. */
  read(key: string): Promise<T>;
}

/**
 * Lets those who ask for the same thing at the same time share one read. Nothing outlives the read: what failed is asked
 * again, and nobody is given what was read before they asked, but for the time that they may join late.
 *
 * @param joinFor Milliseconds after its start in which a read can be joined.
 */
export function shareReads<T>(read: (key: string) => Promise<T>, joinFor: number): SharedReads<T> {
  const underWay = new Map<string, { answer: Promise<T>; since: number }>();

  function running(key: string): Promise<T> | undefined {
    const found = underWay.get(key);
    return found !== undefined && performance.now() - found.since < joinFor ? found.answer : undefined;
  }

  function start(key: string): Promise<T> {
    const started = { answer: read(key), since: performance.now() };
    underWay.set(key, started);
    const forget = () => {
      if (underWay.get(key) === started) underWay.delete(key);
    };
    started.answer.then(forget, forget);
    return started.answer;
  }

  return { running, read: (key) => running(key) ?? start(key) };
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
