import { styleText } from "node:util";
import { inSeconds, type Outcome } from "./outcome.ts";

/** Test files that take longer are named at the end of a run. */
const slow = 10_000;

/** A line for a test file or a check. */
export function printLine(name: string, outcomes: readonly Outcome[], took: number): void {
  const count = (state: Outcome["state"]) => outcomes.filter((outcome) => outcome.state === state).length;
  const [failed, skipped] = [count("failed"), count("skipped")];
  const mark = failed > 0 ? styleText("red", "✖") : styleText("green", "✔");
  const notes = [
    ...(outcomes.length > 1 ? [`${outcomes.length} tests`] : []),
    ...(failed > 0 && outcomes.length > 1 ? [styleText("red", `${failed} failed`)] : []),
    ...(skipped > 0 ? [styleText("yellow", `${skipped} skipped`)] : []),
    inSeconds(took),
  ];
  console.log(`  ${mark} ${name} ${styleText("gray", "(")}${notes.join(", ")}${styleText("gray", ")")}`);
}

export function printFailures(failed: readonly Outcome[]): void {
  if (failed.length === 0) return;
  console.log(`\n${styleText("red", "Failed")}`);
  for (const [index, { file, title, problem = "" }] of failed.entries()) {
    console.log(`\n  ${index + 1}) ${title}\n`);
    for (const line of problem.split("\n"))
      console.log(`     ${line.length > 300 ? `${line.slice(0, 300)} …` : line}`);
    if (file !== "") console.log(`\n     To run it alone: npm test -- ${file}`);
  }
}

/** One line for each reason, with the number of tests that wait for it. */
export function printSkipped(skipped: readonly Outcome[]): void {
  const counts = new Map<string, number>();
  for (const { skipped: given } of skipped) {
    const reason = `${given?.reason}. To run them: ${given?.enabledBy}`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  if (counts.size === 0) return;
  console.log(`\n${styleText("yellow", "Skipped")}\n`);
  for (const [reason, count] of counts)
    console.log(`  ${count} ${count === 1 ? "test" : "tests"}: ${reason}`);
}

/** Names the slow files; with `byRoom`, says how long each room's files took. */
export function printTimes(times: Readonly<Record<string, number>>, byRoom: boolean): void {
  const entries = Object.entries(times).sort(([, a], [, b]) => b - a);
  const rows = (list: readonly (readonly [string, number])[]) =>
    list.map(([name, took]) => `  ${inSeconds(took).padStart(8)}  ${name}`).join("\n");
  if (byRoom) {
    const rooms = new Map<string, number>();
    for (const [file, took] of entries) {
      const room = file.split("/").slice(0, 2).join("/");
      rooms.set(room, (rooms.get(room) ?? 0) + took);
    }
    console.log(`\nTime by room\n\n${rows([...rooms].sort(([, a], [, b]) => b - a))}`);
  }
  const named = byRoom ? entries.slice(0, 40) : entries.filter(([, took]) => took > slow);
  if (named.length > 0) console.log(`\nSlow test files\n\n${rows(named)}`);
}
