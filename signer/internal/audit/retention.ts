import { type ChainSeal, looksLikeCheckpoint } from "./chain.ts";
import { beginning, findProblem, placeAfter } from "./judgeRow.ts";
import type { AuditRows } from "./rows.ts";

/** Milliseconds. */
const [everyHour, day] = [3_600_000, 86_400_000];

/** How old entries are removed, and what is told of it. */
interface Retention {
  /** Days after which an entry is removed. */
  readonly days: number;
  /** Told when it could not be done; it is tried again. */
  readonly onFailed: (error: unknown) => void;
  /** Told of a row that does not hold, from which on its chain stays as it is. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Removes entries as they grow too old: at once, and every hour. Of each chain, a checkpoint stays.
 *
 * Only a row that follows from the one before has the time at which it was written: the database's own word may be
 * anybody's. What does not hold is left for whoever verifies the trail.
 */
export function enforceRetention(
  rows: AuditRows,
  seal: ChainSeal,
  { days, onFailed, onProblem }: Retention,
): { stop(): Promise<void> } {
  let running = Promise.resolve();

  async function removeBefore(time: number): Promise<void> {
    for await (const writer of rows.readWriters()) {
      while (await removePage(writer, time));
    }
  }

  /** Answers whether there may be more to remove. */
  async function removePage(writer: string, time: number): Promise<boolean> {
    const page = await rows.readFirst(writer);
    let place = beginning;
    let removable = 0;
    for (const row of page) {
      const problem = findProblem(row, place, seal);
      if (problem !== undefined) onProblem(problem);
      if (problem !== undefined || row.writtenAt >= time) break;
      place = placeAfter(row);
      removable++;
    }
    const last = page[removable - 1];
    if (last === undefined || (removable === 1 && looksLikeCheckpoint(last))) return false;
    await rows.removeUpTo(looksLikeCheckpoint(last) ? last : seal.makeCheckpoint(last));
    return removable === page.length;
  }

  const run = () => {
    running = running.then(() => removeBefore(Date.now() - days * day)).catch(onFailed);
  };
  run();
  const timer = setInterval(run, everyHour).unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
