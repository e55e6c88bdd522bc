import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { root } from "../repository.ts";
import { scenarios } from "../scenarios.ts";
import { drawBars } from "./drawBars.ts";
import { formatNumber, type Report, type ScenarioReport } from "./report.ts";

const biome = "node_modules/@biomejs/biome/bin/biome";

/** What is committed: what the scenarios of docs/performance.md last found, and the trials of docs/failover.md. */
const read = (file: string): Report => JSON.parse(readFileSync(join(root, file), "utf8"));
export const readReport = (): Report => read("bench/report.json");
export const readTrials = (): Report => read("bench/failover.json");

/** Writes reports where they are kept, and into what is made of them. Those that no document has are left out. */
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
  const kept = { "bench/report.json": report, "bench/failover.json": trials };
  for (const [file, each] of Object.entries(kept)) {
    writeFileSync(join(root, file), `${JSON.stringify(each, null, 2)}\n`);
    execFileSync(process.execPath, [biome, "format", "--write", file], { cwd: root, stdio: "ignore" });
  }
  const rendered = { ...(await renderDocs(report)), "docs/failover.md": await renderGuide(trials) };
  for (const [file, text] of Object.entries(rendered)) writeFileSync(join(root, file), text);
}

/** The guide to failover with the tables of the trials, as it must be. */
export const renderGuide = (trials: Report): Promise<string> =>
  fill("docs/failover.md", renderSections(trials));

const renderSections = (report: Report) =>
  Object.fromEntries(Object.entries(report).map(([name, part]) => [name, renderSection(part)]));

/** The files that have something of a report in them, as they must be. */
export async function renderDocs(report: Report): Promise<Record<string, string>> {
  const sections = renderSections(report);
  const { compare } = report;
  if (compare === undefined) throw new Error("The report has no comparison.");
  return {
    "docs/performance.md": await fill("docs/performance.md", sections),
    "README.md": await fill("README.md", { line: renderLine() }),
    "docs/images/performance.svg": drawBars(compare),
  };
}

/** Puts each text between the two comments of its name. */
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

/** How, what and whether enough, in Markdown. */
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

/**
 * What the README says: a range over runs of several days (2026-11-21 to 23, at 64 connections), because one run on one
 * machine promises nothing.
 */
function renderLine(): string {
  return [
    "One core answers **2 400 to 3 300 requests a second**, depending on the hour of a shared machine. That is 8 to 12 times",
    "Express with viem, and 0.5 to 0.8 times a bare server that only checks and signs. [How this is measured](docs/performance.md).",
    "",
    "![Requests per second on one core, beside what people would write themselves](docs/images/performance.svg)",
  ].join("\n");
}
