import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Options } from "../options.ts";
import { median } from "../quantile.ts";
import { formatNumber, type Measured, type Row, target } from "../report/report.ts";
import { hardhatCli, root } from "../repository.ts";
import { launch } from "../stage/launch.ts";
import { prepareProjects } from "../stage/projects.ts";
import { fillStore, serviceEnvironment } from "../stage/servers.ts";
import { type Stage, setStage } from "../stage/stage.ts";

const milliseconds = (value: number) => `${formatNumber(value, value < 10 ? 2 : 0)} ms`;

/** How long people wait for it: in a test, at a command, and for what serves. */
export async function start(options: Options): Promise<Measured> {
  // What others install is what they wait for.
  const stage = await setStage({ ...options, source: false }, { people: 1, pinned: false });
  try {
    const { folder } = stage.setting;
    const projects = prepareProjects(folder, stage.project);
    const times = options.rounds * 2 + 1;
    const steps: Record<string, () => Promise<number>> = {
      "with the plugin, a command": () => command(folder, projects.plugin, "nothing.ts"),
      "without it": () => command(folder, projects.plain, "nothing.ts"),
      "with the plugin, a command that opens a connection": () =>
        command(folder, projects.plugin, "connect.ts"),
      "without the plugin, the same": () => command(folder, projects.plain, "connect.ts"),
      "identity-signer answers": () => serve(stage, stage.project, [stage.program]),
      "identity serve answers": () =>
        serve(stage, projects.plugin, [hardhatOf(projects.plugin), "identity", "serve"]),
      "npm start is ready": () => npmStart(folder),
    };
    const took = new Map<string, number[]>(Object.keys(steps).map((name) => [name, []]));
    await fillStore(storeOf(stage), stage.setting);
    for (let i = 0; i < times; i++) {
      options.onStep(`Starting everything, ${i + 1} of ${times}`);
      for (const [name, step] of Object.entries(steps)) {
        const time = await step();
        // Files are read from the disk and bundles are made the first time.
        if (i > 0) took.get(name)?.push(time);
      }
    }
    options.onStep("Minting");
    const minted = await launch({
      name: "mint",
      folder,
      command: process.execPath,
      args: [join(root, "bench/stage/mint.ts")],
      ready: /^\{"minted":.*\}$/m,
    });
    await minted.stop();
    const { minted: mints, first } = JSON.parse(minted.ready) as { minted: number[]; first: number };
    const rows: Row[] = [
      { name: "connection.identity.mint", values: { median: median(mints), longest: Math.max(...mints) } },
      { name: "the first in a process", values: { median: first } },
      ...[...took].map(([name, all]) => ({
        name,
        values: { median: median(all), longest: Math.max(...all) },
      })),
    ];
    const of = (name: string) => median(took.get(name) ?? []);
    const adds = of("with the plugin, a command") - of("without it");
    const addsConnected =
      of("with the plugin, a command that opens a connection") - of("without the plugin, the same");
    return {
      notes: [
        ...stage.notes,
        `The packed packages, in projects with hardhat-toolbox-mocha-ethers; each ${times - 1} times in turn, after once that does not count.`,
        "A command is `hardhat run` of a script that does nothing, or opens a connection. A service answers when /readyz says so; npm start is ready when it prints its line of JSON.",
      ],
      columns: [
        { key: "median", heading: "median, ms", digits: 1 },
        { key: "longest", heading: "longest, ms", digits: 1 },
      ],
      rows,
      targets: [
        target("connection.identity.mint under 5 ms", median(mints), { under: 5 }, milliseconds),
        target("The plugin adds under 50 ms to a command", adds, { under: 50 }, milliseconds),
        target("… and to one that opens a connection", addsConnected, { under: 50 }, milliseconds),
        target(
          "identity-signer answers within 1 s",
          of("identity-signer answers"),
          { under: 1_000 },
          milliseconds,
        ),
        target(
          "identity serve answers within 1 s",
          of("identity serve answers"),
          { under: 1_000 },
          milliseconds,
        ),
        target("npm start is ready within 2 s", of("npm start is ready"), { under: 2_000 }, milliseconds),
      ],
    };
  } finally {
    await stage.close();
  }
}

const hardhatOf = (project: string) => join(project, hardhatCli);
const storeOf = ({ setting }: Stage) => `file:${join(setting.folder, "start.sqlite")}`;

/** `hardhat run` in a project, from its start to its end. */
async function command(folder: string, project: string, script: string): Promise<number> {
  const args = [hardhatOf(project), "run", "--no-compile", `scripts/${script}`];
  const done = await launch({
    name: "command",
    folder,
    command: process.execPath,
    args,
    cwd: project,
    ready: /^done$/m,
  });
  return await done.ended;
}

/** From the start of a service until it is ready to sign. */
async function serve(stage: Stage, cwd: string, args: readonly string[]): Promise<number> {
  const started = performance.now();
  const service = await launch({
    name: "serve",
    folder: stage.setting.folder,
    command: process.execPath,
    args,
    cwd,
    env: serviceEnvironment(stage.setting, storeOf(stage)),
    ready: /^\{.*"msg":"listening".*\}$/m,
  });
  const { url } = JSON.parse(service.ready);
  while (!(await fetch(`${url}/readyz`)).ok);
  const took = performance.now() - started;
  await service.stop();
  return took;
}

/** The whole stack of this repository. */
async function npmStart(folder: string): Promise<number> {
  const ports = ["--rpc-port", "0", "--port", "0", "--demo-port", "0"];
  const args = ["start", "--silent", "--", "--json", ...ports];
  const stack = await launch({
    name: "npm-start",
    folder,
    command: "npm",
    args,
    ready: /^\{.*"signerUrl".*\}$/m,
  });
  await stack.stop();
  return stack.took;
}
