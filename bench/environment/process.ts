import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../repository.ts";

export interface ProcessOptions {
  /** Its output is written to a file of this name in the folder, where nobody has to read it while time is taken. */
  readonly name: string;
  readonly folder: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** Looked at whenever it is started. */
  readonly env?: () => Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The cores that it may use, as taskset writes them. */
  readonly cores?: string | undefined;
  /** The user that it runs as. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** What it prints once it is ready; when left out, it is not waited for. */
  readonly ready?: RegExp;
  /** Processes that belong to it and are in no group of its own. */
  readonly others?: () => readonly number[];
}

/** A process that may be ended and started again at any moment; it ends with this one. */
export interface Process {
  pid(): number;
  /** What it printed last that says that it is ready. */
  ready(): string;
  /** Milliseconds from its last start until it said so. */
  took(): number;
  /** Resolves when it has ended, with the milliseconds since its start. */
  ended(): Promise<number>;
  /** All that it has printed, through all its lives. */
  output(): string;
  /** Starts it where it does not run. @throws Error with what it printed when it does not become ready. */
  start(): Promise<void>;
  /** Sends a signal to it, and to all that it has started. */
  signal(name: NodeJS.Signals): void;
  /** Sends a signal (SIGTERM when left out), and waits until it has ended. */
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
  let [ready, took, ended] = ["", 0, Promise.resolve(0)];
  const isRunning = () => child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const started: Process = {
    pid: () => child?.pid ?? 0,
    ready: () => ready,
    took: () => took,
    ended: () => ended,
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
      ended = new Promise((resolve) => {
        const end = () => resolve(performance.now() - since);
        spawned.once("close", end).once("error", end);
      });
      running.add(started);
      void ended.then(() => spawned === child && running.delete(started));
      while (options.ready !== undefined) {
        [ready = ""] = options.ready.exec(started.output().slice(before)) ?? [];
        took = performance.now() - since;
        if (ready !== "") return;
        if (!isRunning() || took > 120_000) {
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
          // It has ended by itself.
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

/** Without what this shell says to a service, to Hardhat or to Node. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(IDENTITY_|HARDHAT_|HH_|(CI|NODE_OPTIONS|NODE_V8_COVERAGE|TEST_REPORT)$)/.test(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: "1", NODE_ENV: "production" };
}
