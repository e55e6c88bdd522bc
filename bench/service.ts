// `npm run bench -- --help`: measures the service's performance, its behaviour while its parts fail, and the gas of claims.
import { execFileSync } from "node:child_process";
import { findBundles } from "../web/server/bundles.ts";
import type { ScenarioReport } from "./report/report.ts";
import { printReport, writeDocs } from "./report/writeDocs.ts";
import { hardhatCli, root } from "./repository.ts";
import { help, readCommand, scenarios } from "./scenarios.ts";

// On these signals, exits and so ends the processes that it started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const onStep = (step: string) =>
  console.error(`${(performance.now() / 1_000).toFixed(1).padStart(7)} s  ${step}`);

try {
  const { scenarios: names, options } = readCommand(process.argv.slice(2), onStep);
  if (options.help) process.stdout.write(help);
  else {
    const build = [hardhatCli, "build", "--quiet", "--no-tests"];
    if (names.length > 0) {
      execFileSync(process.execPath, build, { cwd: root, stdio: "inherit" });
      // Otherwise the first service builds its pages, and keeps the memory that it took.
      await findBundles();
    }
    const reports: Record<string, ScenarioReport> = {};
    for (const name of names) {
      const { title, measure } = scenarios[name];
      const measured = new Date().toISOString().slice(0, 10);
      const report = { title, measured, ...(await measure(options)) };
      reports[options.curve === "native" ? name : `${name}-${options.curve}`] = report;
      if (!options.json) await printReport(report);
    }
    if (options.json) console.log(JSON.stringify(reports, null, 2));
    if (options.writeDocs) await writeDocs(reports);
    if (Object.values(reports).some(({ targets }) => targets.some(({ met }) => met === false)))
      process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// Started processes have ended, or end with this one.
process.exit();
