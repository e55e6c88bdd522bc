// Sends requests, measures the time, and then checks every answer. Run as a program, this is the load generator's
// process.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { checkAnswers } from "./answers.ts";
import { quantile } from "./quantile.ts";
import { send } from "./send.ts";
import type { LoadOutcome, LoadTask } from "./task.ts";
import { readUsage } from "./usage.ts";

/** @throws Error when there is no answer, or any answer that must be checked is wrong. */
export async function generate(task: LoadTask): Promise<LoadOutcome> {
  const before = readUsage(task.pid);
  const started = performance.now();
  const answers = await send(task);
  const after = readUsage(task.pid);
  if (!task.isAttack) checkAnswers(answers, task);
  const counted = answers.filter(({ status }) => status !== 503);
  const last = answers.at(-1);
  if (last === undefined) throw new Error("Nothing was answered.");
  const took = answers.map(({ due, at }) => at - due);
  return {
    checked: counted.length,
    overloaded: answers.length - counted.length,
    seconds: (last.at - started) / 1_000,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    longest: quantile(took, 1),
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    residentBytes: after.residentBytes,
  };
}

/** The load generator, in a process of its own. */
export interface Generator {
  /** @throws Error when any answer is wrong. */
  run(task: LoadTask): Promise<LoadOutcome>;
  stop(): void;
}

const file = fileURLToPath(import.meta.url);

export function startGenerator(): Generator {
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
    stop: () => child.disconnect(),
  };
}

if (process.argv[1] === file) {
  process.on("message", async (task: LoadTask) => {
    // An attacker has its own machine. Here it must not keep the node or the other client waiting for a core.
    if (task.isAttack) setPriority(19);
    try {
      process.send?.({ outcome: await generate(task) });
    } catch (error) {
      process.send?.({ problem: error instanceof Error ? error.message : String(error) });
    }
  });
  process.once("disconnect", () => process.exit());
}
