import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LoadOutcome, LoadTask } from "./task.ts";

/** The load generator, in a process of its own. */
export interface Generator {
  /** @throws Error when a single answer is wrong. */
  run(task: LoadTask): Promise<LoadOutcome>;
  close(): void;
}

export function startGenerator(): Generator {
  const file = fileURLToPath(new URL("process.ts", import.meta.url));
  const env = { ...process.env, NODE_OPTIONS: "", NODE_V8_COVERAGE: "" };
  const child = fork(file, { serialization: "advanced", execArgv: [], env });
  const ended = once(child, "exit").then(() => [{ problem: "The load generator has ended." }]);
  return {
    async run(task) {
      const answered = once(child, "message");
      child.send(task);
      const [{ outcome, problem }] = await Promise.race([answered, ended]);
      if (problem !== undefined) throw new Error(problem);
      return outcome;
    },
    close: () => child.disconnect(),
  };
}
