import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../repository.ts";

/** A process that runs and has said so. */
export interface Launched {
  readonly pid: number;
  /** What was printed that says that it is ready. */
  readonly ready: string;
  /** Milliseconds from its start until it said so. */
  readonly took: number;
  /** Resolves when it has ended, with the milliseconds since its start. */
  readonly ended: Promise<number>;
  output(): string;
  /** Sends a signal to it and to all that it has started, where it has not ended. */
  signal(name: NodeJS.Signals): void;
  /** Stops it with all that it has started, where it has not ended. */
  stop(): Promise<void>;
}

export interface LaunchOptions {
  /** Its output is written to a file of this name in the folder, where nobody has to read it while time is taken. */
  readonly name: string;
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The cores that it may use, as taskset writes them. */
  readonly cores?: string | undefined;
  readonly ready: RegExp;
}

/** Starts a process, and waits until it says that it is ready. It is stopped with all that it has started. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const { command, args, cores } = options;
  const log = join(options.folder, `${options.name}.log`);
  const file = openSync(log, "w");
  const started = performance.now();
  const pin = cores === undefined ? [] : ["taskset", "-c", cores];
  const [program = command, ...rest] = [...pin, command, ...args];
  const child = spawn(program, rest, {
    cwd: options.cwd ?? root,
    detached: true,
    stdio: ["ignore", file, file],
    env: { ...ownEnvironment(), ...options.env },
  });
  closeSync(file);
  const ended = new Promise<number>((resolve) => {
    const end = () => resolve(performance.now() - started);
    child.once("close", end).once("error", end);
  });
  const output = () => readFileSync(log, "utf8");
  running.add(child);
  void ended.then(() => running.delete(child));
  const signal = (name: NodeJS.Signals) => {
    if (isRunning(child)) kill(child, name);
  };
  const stop = async () => {
    signal("SIGTERM");
    await ended;
  };
  for (;;) {
    const [ready] = options.ready.exec(output()) ?? [];
    if (ready !== undefined && child.pid !== undefined) {
      return { pid: child.pid, ready, took: performance.now() - started, ended, output, signal, stop };
    }
    if (!isRunning(child) || performance.now() - started > 120_000) {
      await stop();
      throw new Error(`${options.name} did not start:\n${output()}`);
    }
    await Promise.race([delay(2), ended]);
  }
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) kill(child, "SIGKILL");
});

const isRunning = (child: ChildProcess) =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null;

/** Those that it has started are in its group. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of them have ended.
  }
}

/** Without what this shell says to a service, to Hardhat or to Node. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(IDENTITY_|HARDHAT_|HH_|(CI|NODE_OPTIONS|NODE_V8_COVERAGE|TEST_REPORT)$)/.test(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: "1", NODE_ENV: "production" };
}
