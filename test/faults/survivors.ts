/** A mutant that no test notices, and why none should. */
export interface Survivor {
  readonly file: string;
  /** The code before and after, as `npm run faults -- --mutants` prints it. */
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const survivors: readonly Survivor[] = [];
