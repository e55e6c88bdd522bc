import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { root } from "../repository.ts";
import { type Document, scenarios } from "../scenarios.ts";
import { drawBars } from "./drawBars.ts";
import { formatNumber, ownName, quantile, type Report, type Row, type ScenarioReport } from "./report.ts";

const biome = "node_modules/@biomejs/biome/bin/biome";

/** The committed reports of each document, with the latest run of each of its scenarios. */
const files: Readonly<Record<Document, string>> = {
  performance: "bench/report.json",
  failover: "bench/failover.json",
  gas: "bench/gas.json",
};
const documents = Object.keys(files) as Document[];

export const readReport = (document: Document): Report =>
  JSON.parse(readFileSync(join(root, files[document]), "utf8"));

/** Records reports, and updates the documents made from them. Reports that belong to no document are left out. */
export async function writeDocs(reports: Report): Promise<void> {
  for (const document of documents) {
    const belonging = Object.entries(reports).filter(([name]) => {
      const [scenario = ""] = name.split("-");
      return Object(scenarios)[scenario]?.document === document;
    });
    record(files[document], { ...readReport(document), ...Object.fromEntries(belonging) });
  }
  if (reports.compare) record(runsFile, [...readRuns(), summariseRun(reports.compare)]);
  for (const [file, text] of Object.entries(await renderDocs())) writeFileSync(join(root, file), text);
}

function record(file: string, content: object): void {
  writeFileSync(join(root, file), `${JSON.stringify(content, null, 2)}\n`);
  execFileSync(process.execPath, [biome, "format", "--write", file], { cwd: root, stdio: "ignore" });
}

/** Returns the expected text of the files with parts of the committed reports. */
export async function renderDocs(): Promise<Record<string, string>> {
  const guides = documents.map(async (document) => {
    const file = `docs/${document}.md`;
    return [file, await fill(file, renderSections(document))] as const;
  });
  const { compare } = readReport("performance");
  if (compare === undefined) throw new Error("The report has no comparison.");
  return {
    ...Object.fromEntries(await Promise.all(guides)),
    "README.md": await fill("README.md", { line: renderLine(readRuns()) }),
    "docs/index.md": tellRate("docs/index.md", readRuns()),
    "docs/images/performance.svg": drawBars(compare),
  };
}

/** Renders the parts of a document that come from its report: the page on failover has one sentence of it. */
function renderSections(document: Document): Record<string, string> {
  const { failover, ...others } = readReport(document);
  if (failover !== undefined) return { failover: tellKills(failover) };
  return Object.fromEntries(Object.entries(others).map(([name, part]) => [name, renderSection(part)]));
}

/** Prints a report for people. */
export async function printReport(report: ScenarioReport): Promise<void> {
  console.log(await format(`## ${report.title}\n\n${renderSection(report)}`, { parser: "markdown" }));
}

/** Puts each text between the two comments with its name. */
async function fill(file: string, texts: Readonly<Record<string, string>>): Promise<string> {
  const before = readFileSync(join(root, file), "utf8");
  const after = Object.entries(texts).reduce((text, [name, content]) => {
    const place = new RegExp(`(<!-- bench:${name} -->)[\\s\\S]*?(<!-- /bench:${name} -->)`);
    if (!place.test(text)) throw new Error(`${file} has no place for ${name}.`);
    return text.replace(place, (_, open, close) => `${open}\n\n${content}\n\n${close}`);
  }, before);
  const path = join(root, file);
  return await format(after, { ...(await resolveConfig(path)), filepath: path });
}

const verdicts = new Map([
  [true, "yes"],
  [false, "**no**"],
  [undefined, "cannot tell"],
]);

/** Renders a report in Markdown: how it was measured, the values, and the promises. */
function renderSection(report: ScenarioReport): string {
  const { measured, machine, notes, columns, targets } = report;
  const rows = report.areTrials ? summariseTrials(report) : report.rows;
  const cells = rows.map(({ name, values }) =>
    [name, ...columns.map(({ key, digits }) => formatNumber(values[key], digits))].join(" | "),
  );
  const promises = targets.map(({ promise, got, met }) => `| ${promise} | ${got} | ${verdicts.get(met)} |`);
  const on =
    machine &&
    `: ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.system}, ${machine.curve} curve`;
  return [
    [`${measured}${on ?? ""}.`, ...notes].join(" "),
    "",
    `| | ${columns.map(({ heading }) => heading).join(" | ")} |`,
    `| --- | ${columns.map(() => "---:").join(" | ")} |`,
    ...cells.map((cell) => `| ${cell} |`),
    ...(targets.length === 0 ? [] : ["", "| target | measured | met |", "| --- | --- | --- |", ...promises]),
  ].join("\n");
}

/** Tells how long the service was away after each kill of the database's primary. */
function tellKills({ measured, rows }: ScenarioReport): string {
  const away = rows.map(({ values: { reads = Number.NaN, writes = Number.NaN } }) => Math.max(reads, writes));
  const [least, usual, most] = [0, 0.5, 1].map((part) => formatNumber(quantile(away, part), 1));
  return `On ${measured}, we killed the database's primary ${rows.length} times under load. The service was away for ${least} to ${most} seconds, ${usual} in the median.`;
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

/** The medians of a run of `compare` with native code, by the number of connections. */
export interface Run {
  /** ISO 8601, to the minute. */
  readonly at: string;
  readonly byConnections: Readonly<Record<string, Readonly<Record<keyof typeof kept, number>>>>;
}

/** The values in the README, with the number of digits that are kept. */
const kept = { requestsPerSecond: 0, ofViem: 2, ofFloor: 2, ofUnaudited: 2 } as const;
const runsFile = "bench/runs.json";
export const readRuns = (): readonly Run[] => JSON.parse(readFileSync(join(root, runsFile), "utf8"));

function summariseRun({ rows }: ScenarioReport): Run {
  const own = rows.filter(({ name }) => name === ownName);
  const round = (values: Row["values"]) =>
    Object.fromEntries(
      Object.entries(kept).map(([key, digits]) => [key, Number(values[key]?.toFixed(digits))]),
    ) as Run["byConnections"][string];
  return {
    at: `${new Date().toISOString().slice(0, 16)}Z`,
    byConnections: Object.fromEntries(own.map(({ values }) => [values.connections, round(values)])),
  };
}

const rate = /\*\*[\d,]+(?: to [\d,]+)?\*\* requests a second/;

/** Returns a page with the README's rate. */
function tellRate(file: string, runs: readonly Run[]): string {
  const [told = ""] = rate.exec(renderLine(runs)) ?? [];
  return readFileSync(join(root, file), "utf8").replace(rate, told);
}

/** Renders the README's sentences: the range over all runs, because one run on one machine promises nothing. */
export function renderLine(runs: readonly Run[]): string {
  const all = runs.flatMap(({ byConnections }) => Object.values(byConnections));
  const range = (key: keyof typeof kept, round: (value: number) => number, digits: number) => {
    const values = all.map((one) => one[key]);
    const [least, most] = [Math.min(...values), Math.max(...values)].map(round);
    return least === most
      ? formatNumber(least, digits)
      : `${formatNumber(least, digits)} to ${formatNumber(most, digits)}`;
  };
  const hundreds = (value: number) => Math.round(value / 100) * 100;
  const tenths = (value: number) => Math.round(value * 10) / 10;
  return [
    `One core of the service answers **${range("requestsPerSecond", hundreds, 0)}** requests a second with its audit trail, ${range("ofViem", tenths, 1)} times as many as the same service in Express and viem (${runs.length} runs on a shared machine).`,
    "The bare server in the chart only recovers and signs. [How this is measured](docs/performance.md).",
    "",
    "![Requests per second on one core, beside what people would write themselves](docs/images/performance.svg)",
  ].join("\n");
}
