/**
 * Lets those who ask for the same thing at the same time share one read. Nothing outlives the read: what failed is asked
 * again, and nobody is given what was read before they asked, but for the time that they may join late.
 *
 * @param joinFor Milliseconds after its start in which a read can be joined.
 */
export function shareReads<T>(
  read: (key: string) => Promise<T>,
  joinFor: number,
): (key: string) => Promise<T> {
  const underWay = new Map<string, { answer: Promise<T>; since: number }>();
  return (key) => {
    const running = underWay.get(key);
    if (running !== undefined && performance.now() - running.since < joinFor) return running.answer;
    const started = { answer: read(key), since: performance.now() };
    underWay.set(key, started);
    const forget = () => {
      if (underWay.get(key) === started) underWay.delete(key);
    };
    started.answer.then(forget, forget);
    return started.answer;
  };
}
