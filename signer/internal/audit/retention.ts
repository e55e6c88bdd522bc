import type { ChainSeal } from "./chain.ts";
import type { AuditRows } from "./rows.ts";

/** Milliseconds. */
const [everyHour, day] = [3_600_000, 86_400_000];

/**
 * Removes entries as they grow too old: at once, and every hour.
 *
 * @param days After which an entry is removed.
 * @param onFailed Told when it could not be done; it is tried again.
 */
export function enforceRetention(
  rows: AuditRows,
  seal: ChainSeal,
  { days, onFailed }: { days: number; onFailed: (error: unknown) => void },
): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const run = () => {
    running = running.then(() => rows.removeBefore(Date.now() - days * day, seal)).catch(onFailed);
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
