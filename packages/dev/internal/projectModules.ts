import { fork } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { ProjectConsumer } from "hardhat-identity/internal/stack/running";
import { watchProject } from "./watchProject.ts";

/** The message to the process that compiles and deploys. */
export interface Order {
  /** Files of the Ignition modules. */
  readonly modules: readonly string[];
  readonly rpcUrl: string;
  /** Ignition's journal of the stack's own contracts. */
  readonly journal: string;
  readonly registry: string;
  /** The same as in that journal. With different ones, Ignition would not recognize the deployed registry. */
  readonly registryParameters: RegistryParameters;
  /** The fingerprint of the last deployment, which is not repeated. */
  readonly deployed?: string | undefined;
}

/** The answer of that process. */
export interface Deployed {
  readonly fingerprint: string;
  /** Missing if it equals the last deployment. */
  readonly consumers?: readonly ProjectConsumer[];
}

/** Parameters of the module `SignerRegistry`. */
export type RegistryParameters = { owner: string; signers: string[] };

const moduleFile = /\.m?[jt]s$/;

/**
 * Finds the Ignition modules that `identity dev --deploy` names.
 *
 * @param names Paths of modules, or their names below `ignition/modules`, separated by commas.
 */
export function findModules(names: string, ignitionFolder: string): string[] {
  const folder = join(ignitionFolder, "modules");
  return names.split(",").map((text) => {
    const name = text.trim();
    const below = join(folder, name);
    const found = [resolve(name), ...["", ".ts", ".js", ".mts", ".mjs"].map((ending) => below + ending)].find(
      (file) => moduleFile.test(file) && existsSync(file),
    );
    if (found !== undefined) return found;
    const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
    const modules = files.filter((file) => moduleFile.test(file)).map((file) => file.replace(moduleFile, ""));
    throw new InvalidInputError(
      `--deploy names ${JSON.stringify(name)}, which is no Ignition module (.ts, .js, .mts or .mjs). ` +
        `${relative(process.cwd(), folder)} has ${modules.sort().join(", ") || "none"}.`,
    );
  });
}

/** Callbacks for the deployments of the project's modules. */
export interface Listener {
  /** @param cause The file whose change caused the deployment; `undefined` for the first one. */
  onDeployed(consumers: readonly ProjectConsumer[], cause: string | undefined): void;
  /** The project compiles, and what it would deploy is deployed already. */
  onUnchanged(cause: string): void;
  /** @param output Output of the compiler or Ignition. */
  onFailed(output: string): void;
  /** @param reason Why changes go unnoticed. */
  onBlind(reason: string): void;
}

/**
 * Compiles the project whenever its sources change, and deploys its modules to the stack if that changes them or the code
 * of their contracts: a new address starts without claims. Each time this happens in a new process, which loads their
 * current version and whose failure does not affect the stack.
 *
 * @returns After the first attempt, whether it succeeded or failed.
 */
export async function followProject(
  hre: HardhatRuntimeEnvironment,
  order: Order,
  listener: Listener,
): Promise<{ close(): Promise<void> }> {
  const stopped = new AbortController();
  let deployed: string | undefined;
  async function attempt(cause?: string): Promise<void> {
    const { answer, output } = await runOrder(hre, { ...order, deployed }, stopped.signal);
    if (stopped.signal.aborted) return;
    if (answer === undefined) return listener.onFailed(output);
    deployed = answer.fingerprint;
    if (answer.consumers !== undefined) listener.onDeployed(answer.consumers, cause);
    else if (cause !== undefined) listener.onUnchanged(cause);
  }
  let attempts = attempt();
  let next: string | undefined;
  // Start watching now, to notice a file that is saved during the first compilation.
  const onChange = (file: string) => {
    if (next === undefined) {
      attempts = attempts
        .then(() => {
          const cause = next;
          next = undefined;
          return attempt(cause);
        })
        // A change of the project must not end the stack.
        .catch((error: Error) => listener.onFailed(error.message));
    }
    next ??= file;
  };
  const watching = watchProject(hre, order.modules, onChange, listener.onBlind);
  await attempts;
  return {
    async close() {
      watching.close();
      stopped.abort();
      await attempts;
    },
  };
}

/** Compiles and deploys in a Hardhat process. Without an answer, the output says why. */
async function runOrder(
  hre: HardhatRuntimeEnvironment,
  order: Order,
  signal: AbortSignal,
): Promise<{ answer?: Deployed; output: string }> {
  const cli = createRequire(import.meta.url)
    .resolve("hardhat/package.json")
    .replace("package.json", "dist/src/cli.js");
  const script = fileURLToPath(new URL(`./deployModules${extname(import.meta.url)}`, import.meta.url));
  const config = hre.globalOptions.config === undefined ? [] : ["--config", hre.globalOptions.config];
  const child = fork(cli, [...config, "run", script], { stdio: ["ignore", "pipe", "pipe", "ipc"], signal });
  const outcome: { answer?: Deployed; output: string } = { output: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      outcome.output += text;
    });
  }
  child.on("message", (answer) => {
    outcome.answer = answer as Deployed;
  });
  child.on("error", ({ message }) => {
    outcome.output += message;
  });
  // The process may end before it receives the message.
  child.send(order, () => undefined);
  await new Promise((resolve) => child.once("close", resolve));
  return outcome;
}
