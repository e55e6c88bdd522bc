import type { SkipReason } from "../../test/fixtures/skip.ts";

/** The outcome of a test, of a failed hook, or of a check. */
export interface Outcome {
  /** Path below the project; empty for a check. */
  readonly file: string;
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  /** Reason for the failure. */
  readonly problem?: string;
  readonly skipped?: SkipReason;
}

/** The title for a process that ended, or was ended, during a test. */
export const unended = "It did not end";

/** Returns whether a test file is in the long tier. */
export const isLong = (file: string) => file.endsWith(".long.test.ts");

/** Formats the time since a value of `performance.now()`, in seconds. */
export function since(moment: number): string {
  return inSeconds(performance.now() - moment);
}

/** Formats milliseconds in seconds. */
export function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
