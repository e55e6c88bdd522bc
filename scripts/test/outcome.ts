import type { SkipReason } from "../../test/fixtures/skip.ts";

/** What became of a test, of a hook that failed, or of a check. */
export interface Outcome {
  /** Path below the project; empty for a check. */
  readonly file: string;
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  /** Why it failed. */
  readonly problem?: string;
  readonly skipped?: SkipReason;
}

/** Whether a test file is in the long tier. */
export const isLong = (file: string) => file.endsWith(".long.test.ts");

/** Seconds since a moment of `performance.now()`, for people. */
export function since(moment: number): string {
  return inSeconds(performance.now() - moment);
}

/** Milliseconds, for people. */
export function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
