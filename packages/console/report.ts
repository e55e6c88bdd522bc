import { print } from "./print.ts";

/** The result of a command or task, in one form for scripts and one for people. */
export interface Report {
  /** Printed as one line with `--json`. */
  readonly json: object;
  /** Printed otherwise. */
  readonly text: string;
  /** Whether the process should exit with 1: the answer is a refusal. */
  readonly refused?: boolean;
  /** Another exit code, if there are more outcomes than two. */
  readonly exitCode?: number;
}

/** Prints a report of a command. Returns its exit code. */
export function printReport(report: Report, json = false): number {
  print(json ? JSON.stringify(report.json) : report.text);
  return report.exitCode ?? (report.refused ? 1 : 0);
}
