/** A fault that somebody could make, and the tests that must notice it. `npm run faults` puts it in and runs them. */
export interface Fault {
  /** The damage, and who suffers it. */
  readonly what: string;
  /** The file that has it, and the text in it, which stands there once, that it replaces. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /**
   * Each must fail: a test file (`.test.ts` or `.t.sol`), or tests of it, as `<file>: <title>`, in which a `${}` of the
   * code may be filled in, so that one test of many is run.
   */
  readonly tests: readonly string[];
}

/** Splits what a fault names: `title` is undefined for a whole file. */
export function splitTest(test: string): { readonly file: string; readonly title: string | undefined } {
  const [, file = test, title] = /^(\S+?): (.+)$/.exec(test) ?? [];
  return { file, title };
}

/** Returns the source of a pattern for the titles that a title in the code stands for: a `${}` in it is any text. */
export function titlePattern(title = ""): string {
  const parts = title.split(/\$\{.*?\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return parts.join(".*");
}
