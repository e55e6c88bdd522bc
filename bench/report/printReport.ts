import { format } from "prettier";
import { quantile } from "../load/quantile.ts";
import { formatNumber, type Row, type ScenarioReport } from "./report.ts";

/** Prints a report as Markdown, in the form of the tables in docs/. */
export async function printReport(report: ScenarioReport): Promise<void> {
  console.log(await format(`## ${report.title}\n\n${renderSection(report)}`, { parser: "markdown" }));
}

/** Renders a report in Markdown: how it was measured, the values, and the promises. */
export function renderSection(report: ScenarioReport): string {
  const { measured, commit, machine, notes, columns, targets } = report;
  const { cpu, cores, node, system } = machine;
  const rows = report.areTrials ? summariseTrials(report) : report.rows;
  const cells = rows.map(({ name, values }) =>
    [name, ...columns.map(({ key, digits }) => formatNumber(values[key], digits))].join(" | "),
  );
  const promises = targets.map(
    ({ promise, got, met }) => `| ${promise} | ${got} | ${met ? "yes" : "**no**"} |`,
  );
  return [
    [`${measured}, commit ${commit}: ${cpu}, ${cores} cores, Node ${node}, ${system}.`, ...notes].join(" "),
    "",
    `| | ${columns.map(({ heading }) => heading).join(" | ")} |`,
    `| --- | ${columns.map(() => "---:").join(" | ")} |`,
    ...cells.map((cell) => `| ${cell} |`),
    ...(targets.length === 0 ? [] : ["", "| target | measured | met |", "| --- | --- | --- |", ...promises]),
  ].join("\n");
}

/** The least, the median and the most of each column. */
function summariseTrials({ columns, rows }: ScenarioReport): Row[] {
  return Object.entries({ least: 0, median: 0.5, most: 1 }).map(([name, part]) => {
    const values = columns.map(({ key }) => [
      key,
      quantile(
        rows.flatMap(({ values }) => values[key] ?? []),
        part,
      ),
    ]);
    return { name: `${name} of ${rows.length}`, values: Object.fromEntries(values) };
  });
}
