import { performance } from "node:perf_hooks";

/**
 * Milliseconds between the beginnings of two rows while the process is busy: a row costs what many entries do, and a
 * request may wait some milliseconds.
 */
const rowsApart = 16;

/** The part of its time for which a process is at work when it has none to spare. */
const busy = 0.8;

/** Milliseconds after which it is looked again how busy it is. */
const lookEvery = 100;

/** When rows of the audit trail begin: at once where the process has time to spare, else at some distance. */
export interface Pace {
  /** Milliseconds that the next row has to wait. */
  wait(): number;
  begin(): void;
}

export function createPace(): Pace {
  let lastBegan = Number.NEGATIVE_INFINITY;
  let isBusy = false;
  let seen = performance.eventLoopUtilization();
  let seenAt = performance.now();

  function look(now: number): void {
    const current = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(current, seen).utilization > busy;
    seen = current;
    seenAt = now;
  }

  return {
    wait() {
      const now = performance.now();
      if (now - seenAt >= lookEvery) look(now);
      return isBusy ? lastBegan + rowsApart - now : 0;
    },
    begin() {
      lastBegan = performance.now();
    },
  };
}
