import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Outcome, unended } from "./outcome.ts";
import type { FileResult } from "./worker.ts";

/** The running child processes. */
const running = new Set<ChildProcess>();

/** Forwards the signals that end this process to its children. */
export function stopOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      for (const { pid } of running) {
        try {
          if (pid !== undefined) process.kill(-pid, signal);
        } catch {
          // It has just ended.
        }
      }
      process.exit(1);
    });
  }
}

/** Collects a process's output, and removes the process when it ends. One with an IPC channel may emit no `close`. */
function follow(child: ChildProcess, end: "close" | "exit") {
  running.add(child);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const ended = once(child, end).then(([code]: (number | null)[]) => {
    running.delete(child);
    return code ?? null;
  });
  /** Returns the output since the last call. */
  const takeOutput = () => {
    const output = printed;
    printed = "";
    return output;
  };
  return { ended, takeOutput };
}

/** Runs a shell command to its end. */
export async function runCommand(command: string, env: NodeJS.ProcessEnv) {
  // In its own process group, so that its children can be stopped, too.
  const child = spawn(command, { shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"], env });
  const { ended, takeOutput } = follow(child, "close");
  const code = await ended;
  return { code, output: takeOutput() };
}

/** A {@link FileResult} with the file's output. */
interface FileRun extends FileResult {
  readonly output: string;
}

/** A process that runs test files, one after another. If it dies, another one replaces it. */
export class TestProcess {
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string;
  #worker: { child: ChildProcess; ended: Promise<number | null>; takeOutput: () => string } | undefined;

  /** @param folder The repository whose tests it runs. */
  constructor(env: NodeJS.ProcessEnv, folder = process.cwd()) {
    this.#env = env;
    this.#folder = folder;
  }

  async run(file: string): Promise<FileRun> {
    const began = performance.now();
    this.#worker ??= this.#start();
    const { child, ended, takeOutput } = this.#worker;
    const answered = once(child, "message").then(([result]) => result as FileResult);
    child.send(file);
    const result = await Promise.race([answered, ended]);
    if (typeof result === "object" && result !== null) return { ...result, output: takeOutput() };
    this.#worker = undefined;
    const output = takeOutput();
    const problem = `The process ended with ${result} while it ran:\n${output.trim().split("\n").slice(-20).join("\n")}`;
    const outcomes: Outcome[] = [{ file, title: unended, state: "failed", problem }];
    return { outcomes, took: performance.now() - began, cpu: 0, output };
  }

  /** Kills the process. A test file that is running counts as failed. */
  kill(): void {
    this.#worker?.child.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.#worker?.child.disconnect();
    await this.#worker?.ended;
  }

  #start() {
    const child = fork(join(this.#folder, "scripts/test/worker.ts"), {
      cwd: this.#folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: this.#env,
    });
    return { child, ...follow(child, "exit") };
  }
}
