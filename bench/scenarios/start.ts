import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Environment } from "../environment/environment.ts";
import { type ProcessOptions, startProcess } from "../environment/process.ts";
import { fillStore, listening, serviceEnvironment } from "../environment/servers.ts";
import type { Options } from "../options.ts";
import { formatNumber, type Measured, median, type Row, target } from "../report/report.ts";
import { hardhatCli, root } from "../repository.ts";

const milliseconds = (value: number) => `${formatNumber(value, value < 10 ? 2 : 0)} ms`;

/** Measures how long people wait: for minting in a test, for a command, and for a service or the stack to start. */
export async function start(environment: Environment, options: Options): Promise<Measured> {
  const { folder, project, program } = environment;
  const plugin = createProject(folder, project, true);
  const plain = createProject(folder, project, false);
  const databaseUrl = `file:${join(folder, "start.sqlite")}`;
  await fillStore(databaseUrl, environment.secret, environment.people);
  const run = (options: Omit<ProcessOptions, "name" | "folder">) =>
    startProcess({ name: "started", folder, ...options });
  const hardhat = (within: string, ...args: string[]) =>
    [process.execPath, join(within, hardhatCli), ...args] as const;
  /** Measures `hardhat run` in a project, from its start to its end. */
  const command = async (cwd: string, script: string) => {
    const args = hardhat(cwd, "run", "--no-compile", `scripts/${script}`);
    const done = await run({ command: args, cwd, ready: /^done$/m });
    return await done.ended();
  };
  /** Measures a service from its start until it is ready to sign. */
  const serve = async (cwd: string, args: ProcessOptions["command"]) => {
    const started = performance.now();
    const env = () => serviceEnvironment(environment, databaseUrl);
    const service = await run({ command: args, cwd, env, ready: listening });
    const { url } = JSON.parse(service.ready());
    while (!(await fetch(`${url}/readyz`)).ok);
    const took = performance.now() - started;
    await service.stop();
    return took;
  };
  /** Measures the start of this repository's whole stack. */
  const npmStart = async () => {
    const ports = ["--rpc-port", "0", "--port", "0", "--demo-port", "0"];
    const args = ["npm", "start", "--silent", "--", "--json", ...ports] as const;
    const stack = await run({ command: args, ready: /^\{.*"signerUrl".*\}$/m });
    await stack.stop();
    return stack.took();
  };
  const steps: Record<string, () => Promise<number>> = {
    "with the plugin, a command": () => command(plugin, "nothing.ts"),
    "without it": () => command(plain, "nothing.ts"),
    "with the plugin, a command that opens a connection": () => command(plugin, "connect.ts"),
    "without the plugin, the same": () => command(plain, "connect.ts"),
    "identity-signer answers": () => serve(project, [process.execPath, program]),
    "identity serve answers": () => serve(plugin, hardhat(plugin, "identity", "serve")),
    "npm start is ready": npmStart,
  };
  const took = new Map<string, number[]>(Object.keys(steps).map((name) => [name, []]));
  const times = options.rounds * 2;
  // The first time, which does not count, reads files from the disk and makes bundles.
  for (let i = 0; i <= times; i++) {
    options.onStep(`Starting everything, ${i} of ${times}`);
    for (const [name, step] of Object.entries(steps)) {
      const time = await step();
      if (i > 0) took.get(name)?.push(time);
    }
  }
  options.onStep("Minting");
  const mint = [process.execPath, join(root, "bench/scenarios/mint.ts")] as const;
  const minting = await run({ command: mint, ready: /^\{"minted":.*\}$/m });
  await minting.stop();
  const { minted, first } = JSON.parse(minting.ready()) as { minted: number[]; first: number };
  const describe = (name: string, all: readonly number[]): Row => ({
    name,
    values: { median: median(all), longest: Math.max(...all) },
  });
  const of = (name: string) => median(took.get(name) ?? []);
  const promises: readonly [promise: string, value: number, under: number][] = [
    ["connection.identity.mint under 5 ms", median(minted), 5],
    ["The plugin adds under 50 ms to a command", of("with the plugin, a command") - of("without it"), 50],
    [
      "… and to one that opens a connection",
      of("with the plugin, a command that opens a connection") - of("without the plugin, the same"),
      50,
    ],
    ["identity-signer answers within 1 s", of("identity-signer answers"), 1_000],
    ["identity serve answers within 1 s", of("identity serve answers"), 1_000],
    ["npm start is ready within 2 s", of("npm start is ready"), 2_000],
  ];
  return {
    notes: [
      `The packed packages, in projects with hardhat-toolbox-mocha-ethers; each ${times} times in turn, after once that does not count.`,
      "A command is `hardhat run` of a script that does nothing, or opens a connection. A service answers when /readyz says so; npm start is ready when it prints its line of JSON.",
    ],
    columns: [
      { key: "median", heading: "median, ms", digits: 1 },
      { key: "longest", heading: "longest, ms", digits: 1 },
    ],
    rows: [
      describe("connection.identity.mint", minted),
      { name: "the first in a process", values: { median: first } },
      ...[...took].map(([name, all]) => describe(name, all)),
    ],
    targets: promises.map(([promise, value, under]) => target(promise, value, { under }, milliseconds)),
  };
}

/** Creates a project with the packages of a packed one, with or without the plugin. */
function createProject(within: string, packed: string, hasPlugin: boolean): string {
  const folder = join(within, hasPlugin ? "with-plugin" : "without-plugin");
  const solc = createRequire(import.meta.url).resolve("solc/soljson.js");
  const files = {
    "package.json": JSON.stringify({ name: "project", type: "module", private: true }),
    "hardhat.config.ts": `import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
${hasPlugin ? 'import hardhatIdentity from "hardhat-identity";\n' : ""}import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [toolbox${hasPlugin ? ", hardhatIdentity" : ""}],
  solidity: { version: "0.8.37", path: ${JSON.stringify(solc)} },
});
`,
    "scripts/nothing.ts": 'console.log("done");\n',
    "scripts/connect.ts":
      'import { network } from "hardhat";\n\nawait network.create();\nconsole.log("done");\n',
  };
  mkdirSync(join(folder, "scripts"), { recursive: true });
  symlinkSync(join(packed, "node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
