// `npm run bench -- --help`: measures the service's performance, and its behaviour while its parts fail.
import { execFileSync } from "node:child_process";
import { createEnvironment } from "./environment/environment.ts";
import { describeMachine } from "./environment/machine.ts";
import type { Options } from "./options.ts";
import { printReport } from "./report/print.ts";
import type { ScenarioReport } from "./report/report.ts";
import { writeDocs } from "./report/writeDocs.ts";
import { hardhatCli, root } from "./repository.ts";
import { help, readCommand, type ScenarioName, scenarios } from "./scenarios.ts";

// On these signals, exits and so ends the processes that it started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const onStep = (step: string) =>
  console.error(`${(performance.now() / 1_000).toFixed(1).padStart(7)} s  ${step}`);

async function run(name: ScenarioName, options: Options): Promise<ScenarioReport> {
  const { title, needs = () => ({}), load } = scenarios[name];
  const measure = await load();
  const measured = new Date().toISOString().slice(0, 10);
  const machine = describeMachine(options.curve);
  const environment = await createEnvironment(options, needs(options));
  try {
    const { notes, ...found } = await measure(environment, options);
    return { title, measured, machine, notes: [...environment.notes, ...notes], ...found };
  } finally {
    await environment.close();
  }
}

try {
  const { scenarios: names, options } = readCommand(process.argv.slice(2), onStep);
  if (options.help) process.stdout.write(help);
  else {
    const build = [hardhatCli, "build", "--quiet", "--no-tests"];
    if (names.length > 0) execFileSync(process.execPath, build, { cwd: root, stdio: "inherit" });
    const reports: Record<string, ScenarioReport> = {};
    for (const name of names) {
      const report = await run(name, options);
      reports[options.curve === "native" ? name : `${name}-${options.curve}`] = report;
      if (!options.json) printReport(report);
    }
    if (options.json) console.log(JSON.stringify(reports, null, 2));
    if (options.writeDocs) await writeDocs(reports);
    if (Object.values(reports).some(({ targets }) => targets.some(({ met }) => !met))) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// Started processes have ended, or end with this one.
process.exit();
