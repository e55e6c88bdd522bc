import { printPassing } from "./print.ts";

/** Milliseconds from one line to the next, in a log and on a terminal, where the next one replaces it. */
const intervalMs = 1_000;
const terminalIntervalMs = 100;

/** Tells on standard error how far something is: at once, and then once a second at most, on a terminal more often. */
export function showProgress<Args extends unknown[]>(
  describe: (...args: Args) => string,
): (...args: Args) => void {
  let next = 0;
  return (...args) => {
    if (performance.now() < next) return;
    next = performance.now() + (process.stderr.isTTY ? terminalIntervalMs : intervalMs);
    printPassing(describe(...args));
  };
}
