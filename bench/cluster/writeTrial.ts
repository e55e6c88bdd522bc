import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Report, ScenarioReport } from "../report/report.ts";
import { biome, fill, renderSection } from "../report/writeDocs.ts";
import { root } from "../repository.ts";

const file = "bench/failover.json";
const guide = "docs/failover.md";

/** What the trials last found, as it is committed. */
export const readTrials = (): Report => JSON.parse(readFileSync(join(root, file), "utf8"));

/** Writes what a trial has found where it is kept, and into the guide. */
export async function writeTrial(name: string, report: ScenarioReport): Promise<void> {
  const trials = { ...readTrials(), [name]: report };
  writeFileSync(join(root, file), `${JSON.stringify(trials, null, 2)}\n`);
  execFileSync(process.execPath, [biome, "format", "--write", file], { cwd: root, stdio: "ignore" });
  writeFileSync(join(root, guide), await renderGuide(trials));
}

/** The guide with the tables of the trials, as it must be. */
export const renderGuide = (trials: Report): Promise<string> =>
  fill(
    guide,
    Object.fromEntries(Object.entries(trials).map(([name, report]) => [name, renderSection(report)])),
  );
