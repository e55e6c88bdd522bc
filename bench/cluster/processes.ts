import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Programs } from "./programs.ts";

/** A process that may be ended and started again at any moment. */
export interface Daemon {
  /** Starts it where it does not run. */
  start(): void;
  /** Sends a signal to it, and to all that it has started. */
  signal(name: NodeJS.Signals): void;
  /** Sends a signal, and resolves when it has ended. */
  end(name: NodeJS.Signals): Promise<void>;
  /** All that it has printed, through all its lives. */
  output(): string;
}

export interface DaemonOptions {
  readonly name: string;
  readonly folder: string;
  readonly command: readonly [command: string, ...args: string[]];
  /** Its working folder; the other one when left out. */
  readonly cwd?: string;
  /** Looked at whenever it is started. */
  readonly env?: () => Readonly<Record<string, string>>;
  readonly owner?: Programs["owner"];
  /** Processes that belong to it and are in no group of its own. */
  readonly others?: () => readonly number[];
}

/** What has to end with this process, however it ends. */
const daemons = new Set<Daemon>();
process.once("exit", () => {
  for (const daemon of daemons) daemon.signal("SIGKILL");
});

/** Describes a process, and starts it. What it prints goes to a file of its name in the folder. */
export function startDaemon(options: DaemonOptions): Daemon {
  const { name, folder, owner, others = () => [] } = options;
  const [program, ...args] = options.command;
  const log = join(folder, `${name}.log`);
  let child: ChildProcess | undefined;
  const daemon: Daemon = {
    start() {
      if (isRunning(child)) return;
      const file = openSync(log, "a");
      child = spawn(program, args, {
        cwd: options.cwd ?? folder,
        detached: true,
        stdio: ["ignore", file, file],
        env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC", HOME: folder, ...options.env?.() },
        ...owner,
      });
      // Whoever waits for what it prints is told what there is instead.
      child.once("error", () => undefined);
      closeSync(file);
    },
    signal(signal) {
      for (const pid of others()) send(pid, signal);
      if (isRunning(child)) send(-(child?.pid ?? 0), signal);
    },
    async end(signal) {
      const ended = isRunning(child) ? once(child as ChildProcess, "close") : undefined;
      daemon.signal(signal);
      await ended;
    },
    output: () => readFileSync(log, "utf8"),
  };
  daemon.start();
  daemons.add(daemon);
  return daemon;
}

/** A new folder that a daemon may write to. */
export function makeFolder(path: string, owner: Programs["owner"]): string {
  mkdirSync(path, { mode: 0o700 });
  if (owner) chownSync(path, owner.uid, owner.gid);
  return path;
}

/** A process with all that it has started, and what those have. */
export function listDescendants(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const children = threads.flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(listDescendants)];
  } catch {
    // It has ended.
    return [];
  }
}

const isRunning = (child: ChildProcess | undefined) =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
