import { styleText } from "node:util";
import { formatNumber, type ScenarioReport } from "./report.ts";

/** Prints a scenario's report for people. */
export function printReport({ title, machine, notes, columns, rows, targets }: ScenarioReport): void {
  const lines = [
    ["", ...columns.map(({ heading }) => heading)],
    ...rows.map(({ name, values }) => [
      name,
      ...columns.map(({ key, digits }) => formatNumber(values[key], digits)),
    ]),
  ];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => (line[i + 1] ?? "").length)));
  const first = Math.max(...lines.map(([name = ""]) => name.length));
  console.log(`\n${styleText("bold", title)}`);
  console.log(
    `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.system}, ${machine.curve} curve`,
  );
  for (const note of notes) console.log(note);
  console.log();
  for (const [name = "", ...cells] of lines) {
    console.log([name.padEnd(first), ...cells.map((cell, i) => cell.padStart(widths[i] ?? 0))].join("  "));
  }
  console.log();
  for (const { promise, got, met } of targets) {
    console.log(`${met ? styleText("green", "✔") : styleText("red", "✖")} ${promise}: ${got}`);
  }
}
