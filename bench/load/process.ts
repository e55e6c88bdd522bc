// The load generator's process: a task comes in, an outcome goes out, or what was wrong.
import { generate } from "./generate.ts";
import type { LoadTask } from "./task.ts";

process.on("message", async (task: LoadTask) => {
  try {
    process.send?.({ outcome: await generate(task) });
  } catch (error) {
    process.send?.({ problem: error instanceof Error ? error.message : String(error) });
  }
});
process.once("disconnect", () => process.exit());
