import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "./repository.ts";

export interface ProcessOptions {
  /** Its output goes to a file of this name in the folder, so that no process has to read it during a measurement. */
  readonly name: string;
  readonly folder: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** Read at each start. */
  readonly env?: () => Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The cores that it may use, in taskset's format. */
  readonly cores?: string | undefined;
  /** The user to run it as. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Its output once it is ready; by default, the start does not wait. */
  readonly ready?: RegExp;
  /** Processes that belong to it but are not in its process group. */
  readonly others?: () => readonly number[];
}

/** A process that can be stopped and started again at any time. It ends with this process. */
export interface Process {
  pid(): number;
  /** The part of its output that showed that it was ready, after its last start. */
  ready(): string;
  /** All its output, of all starts. */
  output(): string;
  /** Starts it if it does not run. @throws Error with its output when it does not become ready. */
  start(): Promise<void>;
  /** Sends a signal to it and to all processes that it started. */
  signal(name: NodeJS.Signals): void;
  /** Sends a signal, by default SIGTERM, and waits until the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const running = new Set<Process>();
process.once("exit", () => {
  for (const each of running) each.signal("SIGKILL");
});

export async function startProcess(options: ProcessOptions): Promise<Process> {
  const { name, folder, cores, owner, others = () => [] } = options;
  const log = join(folder, `${name}.log`);
  writeFileSync(log, "");
  const pin = cores === undefined ? [] : ["taskset", "-c", cores];
  const [program = "", ...args] = [...pin, ...options.command];
  let child: ChildProcess | undefined;
  let [ready, ended]: [string, Promise<unknown>] = ["", Promise.resolve()];
  const isRunning = () => child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const started: Process = {
    pid: () => child?.pid ?? 0,
    ready: () => ready,
    output: () => readFileSync(log, "utf8"),
    async start() {
      if (isRunning()) return;
      const [since, before] = [performance.now(), started.output().length];
      const file = openSync(log, "a");
      const stdio = ["ignore", file, file] as const;
      const env = { ...ownEnvironment(), ...options.env?.() };
      const spawned = spawn(program, args, {
        cwd: options.cwd ?? root,
        detached: true,
        stdio: [...stdio],
        env,
        ...owner,
      });
      child = spawned;
      closeSync(file);
      ended = new Promise((resolve) => spawned.once("close", resolve).once("error", resolve));
      running.add(started);
      void ended.then(() => spawned === child && running.delete(started));
      while (options.ready !== undefined) {
        [ready = ""] = options.ready.exec(started.output().slice(before)) ?? [];
        if (ready !== "") return;
        if (!isRunning() || performance.now() - since > 120_000) {
          await started.stop();
          throw new Error(`${name} did not start:\n${started.output().slice(-5_000)}`);
        }
        await Promise.race([delay(2), ended]);
      }
    },
    signal(signal) {
      for (const pid of [...others(), ...(isRunning() ? [-started.pid()] : [])]) {
        try {
          process.kill(pid, signal);
        } catch {
          // The process has ended by itself.
        }
      }
    },
    async stop(signal = "SIGTERM") {
      started.signal(signal);
      await ended;
    },
  };
  await started.start();
  return started;
}

/** Returns this process's environment without settings for a service, Hardhat or Node. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(IDENTITY_|HARDHAT_|HH_|(CI|NODE_OPTIONS|NODE_V8_COVERAGE|TEST_REPORT)$)/.test(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: "1", NODE_ENV: "production" };
}
