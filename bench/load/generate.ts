import { quantile } from "../quantile.ts";
import { judge } from "./judge.ts";
import { send } from "./send.ts";
import type { LoadOutcome, LoadTask } from "./task.ts";
import { readUsage } from "./usage.ts";

/**
 * Sends, takes the time, and then checks every answer.
 *
 * @throws Error when there is no answer, or a single one is wrong.
 */
export async function generate(task: LoadTask): Promise<LoadOutcome> {
  const own = process.cpuUsage();
  const before = readUsage(task.pid);
  const started = performance.now();
  const answers = await send(task);
  const after = readUsage(task.pid);
  const { user, system } = process.cpuUsage(own);
  judge(answers, task);
  const last = answers.at(-1);
  if (last === undefined) throw new Error("Nothing was answered.");
  const took = answers.map(({ due, at }) => at - due);
  return {
    checked: answers.length,
    seconds: (last.at - started) / 1_000,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    longest: quantile(took, 1),
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    residentBytes: after.residentBytes,
    generatorCpuSeconds: (user + system) / 1e6,
  };
}
