import { beginning, findProblem, placeAfter } from "./judgeRow.ts";
import type { AuditRows } from "./rows.ts";
import { looksLikeCheckpoint, type SequenceSeal } from "./sequence.ts";
import type { TrailWatch } from "./trail.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Milliseconds for which a removal may go on after the process was asked to end. */
const finishMs = 5_000;

/**
 * Removes entries that are too old, at once and every hour. It works in pages, and requests are served between them. A
 * checkpoint replaces the removed rows of each sequence.
 *
 * A row's time can be trusted only if the row follows from the one before: anyone with access to the database can
 * change it. Invalid rows stay, with all later ones of their sequence, so that a verification of the trail finds them.
 *
 * @param confirmClock Fails unless this machine's clock is known to be right: what is removed cannot be brought back.
 */
export function enforceRetention(
  rows: AuditRows,
  seal: SequenceSeal,
  days: number,
  confirmClock: () => Promise<void>,
  { logger, onProblem }: TrailWatch,
) {
  let running = Promise.resolve();
  let stopsAt = Number.POSITIVE_INFINITY;

  async function removeBefore(time: number): Promise<void> {
    for await (const writer of rows.readWriters()) {
      do {
        if (performance.now() > stopsAt) return;
      } while (await removePage(writer, time));
    }
  }

  /** Removes the old rows of one page. Returns whether there may be more to remove. */
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

  async function removeOld(): Promise<void> {
    await confirmClock();
    await removeBefore(Date.now() - days * dayMs);
  }

  const run = () => {
    running = running.then(removeOld).catch(({ message: reason }: Error) => {
      const problem = "Old entries of the audit trail could not be removed; the next attempt is in an hour.";
      logger?.error({ reason }, problem);
    });
  };
  run();
  const timer = setInterval(run, hourMs).unref();
  return {
    /** Ends within seconds. The next start removes what is left. */
    async stop(): Promise<void> {
      clearInterval(timer);
      stopsAt = performance.now() + finishMs;
      await running;
    },
  };
}
