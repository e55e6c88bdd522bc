// `npm run bench -- --help`: measures the service's performance, and a failover of its database.
import { execFileSync } from "node:child_process";
import { findVerifyPage } from "../packages/verify-page/bundle.ts";
import { hardhatCli, root } from "./environment/repository.ts";
import { describeAge, writePage } from "./report/page.ts";
import { printReport, renderSection } from "./report/printReport.ts";
import { help, measure, readCommand } from "./scenarios/index.ts";

// On these signals, exits and so ends the processes that it started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const onStep = (step: string) =>
  console.error(`${(performance.now() / 1_000).toFixed(1).padStart(7)} s  ${step}`);

try {
  const { scenario, options } = readCommand(process.argv.slice(2), onStep);
  if (options.help) process.stdout.write(help);
  else if (options.check) {
    const problem = describeAge(root);
    console.log(problem ?? "docs/performance.md was measured with this code.");
    if (problem !== undefined) process.exitCode = 1;
  } else {
    const build = [hardhatCli, "build", "--quiet", "--no-tests"];
    execFileSync(process.execPath, build, { cwd: root, stdio: "inherit" });
    // Otherwise the first service builds its pages, and keeps the memory that it took.
    await findVerifyPage();
    const report = await measure(scenario, options);
    if (options.json) console.log(JSON.stringify(report, null, 2));
    else await printReport(report);
    if (options.write) await writePage(root, renderSection(report));
    if (report.targets.some(({ met }) => met === false)) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// Started processes have ended, or end with this one.
process.exit();
