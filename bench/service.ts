// `npm run bench -- --help`: measures what the service can do beside what people would write themselves.
import { execFileSync } from "node:child_process";
import { help, type Options, readCommand, type ScenarioName } from "./options.ts";
import { startProgress } from "./progress.ts";
import { printReport } from "./report/print.ts";
import type { Measured, ScenarioReport } from "./report/report.ts";
import { readReport, writeDocs } from "./report/writeDocs.ts";
import { hardhatCli, root } from "./repository.ts";
import { describeMachine } from "./stage/machine.ts";

interface Scenario {
  readonly title: string;
  load(): Promise<(options: Options) => Promise<Measured>>;
}

const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  compare: {
    title: "Beside what people would write themselves",
    load: async () => (await import("./scenarios/compare.ts")).compare,
  },
  flat: {
    title: "With a million credentials",
    load: async () => (await import("./scenarios/flat.ts")).flat,
  },
  cold: {
    title: "Every consumer for the first time",
    load: async () => (await import("./scenarios/cold.ts")).cold,
  },
  memory: {
    title: "Memory over many requests",
    load: async () => (await import("./scenarios/memory.ts")).memory,
  },
  idle: {
    title: "One request at a time",
    load: async () => (await import("./scenarios/idle.ts")).idle,
  },
  overload: {
    title: "While another client sends the worst",
    load: async () => (await import("./scenarios/overload.ts")).overload,
  },
  start: {
    title: "Starting",
    load: async () => (await import("./scenarios/start.ts")).start,
  },
  profile: {
    title: "What the time goes into",
    load: async () => (await import("./scenarios/profile.ts")).profile,
  },
};

const onStep = startProgress();
try {
  const command = readCommand(process.argv.slice(2), onStep);
  if (command.help) process.stdout.write(help);
  else await run(command);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run({
  scenarios: names,
  options,
  json,
  writeDocs: isWritten,
}: ReturnType<typeof readCommand>) {
  if (names.length > 0) {
    execFileSync(process.execPath, [hardhatCli, "build", "--quiet", "--no-tests"], {
      cwd: root,
      stdio: "inherit",
    });
  }
  const machine = await describeMachine(options.curve);
  const reports: Record<string, ScenarioReport> = {};
  for (const name of names) {
    const { title, load } = scenarios[name];
    const measure = await load();
    const measured = new Date().toISOString().slice(0, 10);
    const report = { title, measured, machine, ...(await measure(options)) };
    reports[options.curve === undefined ? name : `${name}-${options.curve}`] = report;
    if (!json) printReport(report);
  }
  if (json) console.log(JSON.stringify(reports, null, 2));
  if (isWritten) await writeDocs({ ...readReport(), ...reports });
  if (Object.values(reports).some(({ targets }) => targets.some(({ met }) => !met))) process.exitCode = 1;
}
