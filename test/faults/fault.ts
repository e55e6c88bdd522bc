/** A fault that somebody could make, and the tests that must notice it. `npm run faults` puts it in and runs them. */
export interface Fault {
  /** What goes wrong for whom. */
  readonly what: string;
  /** The file that has it, and the text in it, which stands there once, that it replaces. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Each must fail: a test file (`.test.ts` or `.t.sol`), or one test of it, as `<file>: <title in the code>`. */
  readonly tests: readonly string[];
}

/** Splits what a fault names: `title` is undefined for a whole file. */
export function splitTest(test: string): { readonly file: string; readonly title: string | undefined } {
  const [, file = test, title] = /^(\S+?): (.+)$/.exec(test) ?? [];
  return { file, title };
}
