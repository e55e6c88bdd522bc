/** A fault that somebody could make, and the tests that must notice it. `npm run faults` puts it in and runs them. */
export interface Fault {
  /** What goes wrong for whom. */
  readonly what: string;
  /** The file that has it, and the text in it, which stands there once, that it replaces. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Test files of which at least one must fail: `.test.ts` or `.t.sol`. */
  readonly tests: readonly string[];
}
