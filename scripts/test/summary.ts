import { styleText } from "node:util";
import { plural } from "../../packages/console/plural.ts";
import { inSeconds, type Outcome } from "./outcome.ts";

/**
 * Prints a line for a test file or a check.
 *
 * @param took Milliseconds.
 * @param cpu Milliseconds of CPU time, if they are known.
 */
export function printLine(name: string, outcomes: readonly Outcome[], took: number, cpu?: number): void {
  const count = (state: Outcome["state"]) => outcomes.filter((outcome) => outcome.state === state).length;
  const [failed, skipped] = [count("failed"), count("skipped")];
  const mark = failed > 0 ? styleText("red", "✖") : styleText("green", "✔");
  const notes = [
    ...(outcomes.length > 1 ? [plural(outcomes.length, "test")] : []),
    ...(failed > 0 && outcomes.length > 1 ? [styleText("red", `${failed} failed`)] : []),
    ...(skipped > 0 ? [styleText("yellow", `${skipped} skipped`)] : []),
    inSeconds(took),
    ...(cpu === undefined ? [] : [`${inSeconds(cpu)} of CPU`]),
  ];
  console.log(`  ${mark} ${name} ${styleText("gray", "(")}${notes.join(", ")}${styleText("gray", ")")}`);
}

/** Prints every failure by file. Failures of a file with the same reason, such as a failed hook, share a message. */
export function printFailures(failed: readonly Outcome[]): void {
  if (failed.length === 0) return;
  console.log(`\n${styleText("red", "Failed")}`);
  let number = 0;
  for (const [file, ofFile] of groupBy(failed, ({ file }) => file)) {
    for (const [problem, outcomes] of groupBy(ofFile, ({ problem }) => problem)) {
      console.log();
      for (const { title } of outcomes) console.log(`  ${++number}) ${title}`);
      console.log();
      for (const line of problem.split("\n"))
        console.log(`     ${line.length > 300 ? `${line.slice(0, 300)} …` : line}`);
    }
    if (file !== "") console.log(`\n     To run the file alone: npm test -- ${file}`);
  }
}

/** Prints a line for each reason, such as a missing program, with the number of tests and the remedy. */
export function printSkipped(skipped: readonly Outcome[]): void {
  if (skipped.length === 0) return;
  console.log(`\n${styleText("yellow", "Skipped")}\n`);
  const reasons = skipped.map(({ skipped: given }) => `${given?.reason} → ${given?.enabledBy}`);
  for (const [reason, { length }] of groupBy(reasons, (reason) => reason))
    console.log(`  ${plural(length, "test")}: ${reason}`);
}

function groupBy<T>(list: readonly T[], keyOf: (each: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of list) {
    const key = keyOf(each) ?? "";
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return groups;
}

/** Prints the last line of a run. */
export function printTotals(passed: number, failed: number, skipped: number): void {
  const total = (count: number, state: string, color: "green" | "red" | "yellow") =>
    count === 0 ? `0 ${state}` : styleText(color, `${count} ${state}`);
  console.log(
    [
      total(passed, "passed", "green"),
      total(failed, "failed", "red"),
      total(skipped, "skipped", "yellow"),
    ].join(", "),
  );
}
