import { fork } from "node:child_process";
import { existsSync, type FSWatcher, watch } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { InvalidInputError } from "../../../protocol/errors.ts";

/** A consumer that a module of the project has deployed. */
export interface ProjectConsumer {
  readonly name: string;
  readonly address: string;
  /** Its JSON ABI. */
  readonly abi: readonly unknown[];
}

/** What the process that compiles and deploys is told. */
export interface Order {
  /** Files of the Ignition modules. */
  readonly modules: readonly string[];
  readonly rpcUrl: string;
  /** Ignition's journal of the stack's own contracts. */
  readonly journal: string;
  readonly registry: string;
  /** As in that journal: with others, Ignition would not take the registry for the one that is there. */
  readonly registryParameters: RegistryParameters;
}

/** Parameters of the module `SignerRegistry`. */
export type RegistryParameters = { owner: string; signers: string[] };

/** Milliseconds in which changes count as one: an editor saves in several steps. */
const settling = 100;

/**
 * Finds the Ignition modules that `identity dev --deploy` names.
 *
 * @param names Paths of modules, or their names below `ignition/modules`, separated by commas.
 * @throws InvalidInputError naming what there is not.
 */
export function findModules(names: string, ignitionFolder: string): string[] {
  return names.split(",").map((text) => {
    const name = text.trim();
    const below = join(ignitionFolder, "modules", name);
    const found = [resolve(name), ...["", ".ts", ".js", ".mts", ".mjs"].map((ending) => below + ending)].find(
      (file) => extname(file) !== "" && existsSync(file),
    );
    if (found !== undefined) return found;
    throw new InvalidInputError(
      `--deploy names ${JSON.stringify(name)}: there is no such file, and no such module in ${relative(process.cwd(), join(ignitionFolder, "modules"))}.`,
    );
  });
}

/** Hears of what becomes of the project's modules. */
export interface Listener {
  /** @param cause The file whose change led to it; `undefined` the first time. */
  onDeployed(consumers: readonly ProjectConsumer[], cause: string | undefined): void;
  /** @param output What the compiler or Ignition said. */
  onFailed(output: string): void;
}

/**
 * Compiles the project and deploys its modules onto the stack, and again whenever its contracts or modules change. A
 * process of its own does it each time: it loads them as they are then, and what goes wrong in it is not the stack's.
 *
 * @returns Once the first attempt has ended, well or not.
 */
export async function followProject(
  hre: HardhatRuntimeEnvironment,
  order: Order,
  listener: Listener,
): Promise<{ close(): Promise<void> }> {
  const stopped = new AbortController();
  async function attempt(cause?: string): Promise<void> {
    const { consumers, output } = await runOrder(hre, order, stopped.signal);
    if (stopped.signal.aborted) return;
    if (consumers === undefined) listener.onFailed(output);
    else listener.onDeployed(consumers, cause);
  }
  let attempts = attempt();
  let next: string | undefined;
  // Watched from the start: what is saved while it compiles counts, too.
  const watchers = watchProject(hre, order.modules, (file) => {
    if (next === undefined) {
      attempts = attempts.then(() => {
        const cause = next;
        next = undefined;
        return attempt(cause);
      });
    }
    next ??= file;
  });
  await attempts;
  return {
    async close() {
      for (const watcher of watchers) watcher.close();
      stopped.abort();
      await attempts;
    },
  };
}

/** Has Hardhat compile and deploy. Without consumers in the answer, the output says why. */
async function runOrder(
  hre: HardhatRuntimeEnvironment,
  order: Order,
  signal: AbortSignal,
): Promise<{ consumers?: ProjectConsumer[]; output: string }> {
  const cli = createRequire(import.meta.url)
    .resolve("hardhat/package.json")
    .replace("package.json", "dist/src/cli.js");
  const script = fileURLToPath(new URL(`./deployModules${extname(import.meta.url)}`, import.meta.url));
  const config = hre.globalOptions.config === undefined ? [] : ["--config", hre.globalOptions.config];
  const child = fork(cli, [...config, "run", script], { stdio: ["ignore", "pipe", "pipe", "ipc"], signal });
  const answer: { consumers?: ProjectConsumer[]; output: string } = { output: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      answer.output += text;
    });
  }
  child.on("message", (consumers) => {
    answer.consumers = consumers as ProjectConsumer[];
  });
  child.on("error", ({ message }) => {
    answer.output += message;
  });
  // It may end before it listens.
  child.send(order, () => undefined);
  await new Promise((resolve) => child.once("close", resolve));
  return answer;
}

/** Calls back with the first file that has changed, whenever contracts or modules of the project have. */
function watchProject(
  { config }: HardhatRuntimeEnvironment,
  modules: readonly string[],
  onChange: (file: string) => void,
): FSWatcher[] {
  const folders = new Set([...config.paths.sources.solidity, ...modules.map((file) => dirname(file))]);
  let first: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  return [...folders].filter(existsSync).map((folder) =>
    watch(folder, { recursive: true }, (_event, file) => {
      first ??= relative(process.cwd(), join(folder, file ?? ""));
      clearTimeout(timer);
      timer = setTimeout(() => {
        onChange(first ?? folder);
        first = undefined;
      }, settling);
    }),
  );
}
