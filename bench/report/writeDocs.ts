import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { root } from "../repository.ts";
import { scenarios } from "../scenarios.ts";
import { drawBars } from "./drawBars.ts";
import { formatNumber, type Report, type Row, type ScenarioReport } from "./report.ts";

const biome = "node_modules/@biomejs/biome/bin/biome";

/** The committed reports: the latest of the scenarios of docs/performance.md, and the trials of docs/failover.md. */
const read = (file: string): Report => JSON.parse(readFileSync(join(root, file), "utf8"));
export const readReport = (): Report => read("bench/report.json");
export const readTrials = (): Report => read("bench/failover.json");

/** Records reports, and updates the documents made from them. Reports that belong to no document are left out. */
export async function writeDocs(reports: Report): Promise<void> {
  const belongTo = (document: string) =>
    Object.fromEntries(
      Object.entries(reports).filter(([name]) => {
        const [scenario = ""] = name.split("-");
        return Object(scenarios)[scenario]?.report === document;
      }),
    );
  const report = { ...readReport(), ...belongTo("performance") };
  const trials = { ...readTrials(), ...belongTo("failover") };
  const runs = [...readRuns(), ...(reports.compare ? [summariseRun(reports.compare)] : [])];
  const files = { "bench/report.json": report, "bench/failover.json": trials, [runsFile]: runs };
  for (const [file, each] of Object.entries(files)) {
    writeFileSync(join(root, file), `${JSON.stringify(each, null, 2)}\n`);
    execFileSync(process.execPath, [biome, "format", "--write", file], { cwd: root, stdio: "ignore" });
  }
  const rendered = { ...(await renderDocs(report, runs)), "docs/failover.md": await renderGuide(trials) };
  for (const [file, text] of Object.entries(rendered)) writeFileSync(join(root, file), text);
}

/** Returns the expected text of the guide to failover, with the tables of the trials. */
export const renderGuide = (trials: Report): Promise<string> =>
  fill("docs/failover.md", renderSections(trials));

const renderSections = (report: Report) =>
  Object.fromEntries(Object.entries(report).map(([name, part]) => [name, renderSection(part)]));

/** Returns the expected text of the files with parts of a report. */
export async function renderDocs(report: Report, runs = readRuns()): Promise<Record<string, string>> {
  const sections = renderSections(report);
  const { compare } = report;
  if (compare === undefined) throw new Error("The report has no comparison.");
  return {
    "docs/performance.md": await fill("docs/performance.md", sections),
    "README.md": await fill("README.md", { line: renderLine(runs) }),
    "docs/index.md": tellRate("docs/index.md", runs),
    "docs/images/performance.svg": drawBars(compare),
  };
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

/** Renders a report in Markdown: how it was measured, the values, and the promises. */
function renderSection({ measured, machine, notes, columns, rows, targets }: ScenarioReport): string {
  const cells = rows.map(({ name, values }) =>
    [name, ...columns.map(({ key, digits }) => formatNumber(values[key], digits))].join(" | "),
  );
  const promises = targets.map(
    ({ promise, got, met }) => `| ${promise} | ${got} | ${met ? "yes" : "**no**"} |`,
  );
  return [
    `${measured}: ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.system}, ${machine.curve} curve. ${notes.join(" ")}`,
    "",
    `| | ${columns.map(({ heading }) => heading).join(" | ")} |`,
    `| --- | ${columns.map(() => "---:").join(" | ")} |`,
    ...cells.map((cell) => `| ${cell} |`),
    ...(targets.length === 0
      ? []
      : ["", "| promise | measured | kept |", "| --- | --- | --- |", ...promises]),
  ].join("\n");
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
  const own = rows.filter(({ name }) => name.startsWith("(d)"));
  const round = (values: Row["values"]) =>
    Object.fromEntries(
      Object.entries(kept).map(([key, digits]) => [key, Number(values[key]?.toFixed(digits))]),
    ) as Run["byConnections"][string];
  return {
    at: `${new Date().toISOString().slice(0, 16)}Z`,
    byConnections: Object.fromEntries(own.map(({ values }) => [values.connections, round(values)])),
  };
}

const rate = /\*\*[\d ]+(?: to [\d ]+)? requests a second\*\*/;

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
    `One core answers **${range("requestsPerSecond", hundreds, 0)} requests a second**, audit trail included. That is`,
    `${range("ofViem", Math.round, 0)} times Express with viem, and ${range("ofFloor", tenths, 1)} times a bare server that only checks and signs,`,
    `at 16 and 64 connections, in ${runs.length === 1 ? "one run" : `${runs.length} runs`} on a shared machine. [How this is measured](docs/performance.md).`,
    "",
    "![Requests per second on one core, beside what people would write themselves](docs/images/performance.svg)",
  ].join("\n");
}
