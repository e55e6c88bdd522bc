import { printPassing } from "./print.ts";

/** Milliseconds from one line to the next. */
const interval = 1_000;

/** Tells on standard error how far something is: at once, and then once a second at most. */
export function showProgress<Args extends unknown[]>(
  describe: (...args: Args) => string,
): (...args: Args) => void {
  let next = 0;
  return (...args) => {
    if (performance.now() < next) return;
    next = performance.now() + interval;
    printPassing(describe(...args));
  };
}
