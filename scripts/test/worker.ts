// A process that runs the test files that `npm test` sends it, one after another. One process runs many files, because
// loading Hardhat takes longer than most of them. A file that needs Hardhat imports it.
import { createRequire } from "node:module";
import Mocha from "mocha";
import { readCpu } from "./cpu.ts";
import { mochaOptions } from "./mocha.ts";
import type { Outcome } from "./outcome.ts";

/** A worker's result for a test file. */
export interface FileResult {
  readonly outcomes: readonly Outcome[];
  /** Milliseconds, including loading. */
  readonly took: number;
  /** Milliseconds of CPU time, with those of the processes that it started. */
  readonly cpu: number;
}

process.env.HH_TEST = "true";
process.env.NODE_ENV ??= "test";
// Mocha fails a test only on an exception.
process.on("unhandledRejection", (reason) => {
  throw reason;
});

const reporter = createRequire(import.meta.url)(mochaOptions.reporter);

async function runFile(file: string): Promise<readonly Outcome[]> {
  // `npm run faults` needs only the first failure, of one test if it has a title.
  const { TEST_BAIL: bail, TEST_TITLE: title } = process.env;
  const mocha = new Mocha({
    ...mochaOptions,
    bail: bail === "true",
    ...(title && { grep: new RegExp(title) }),
  });
  mocha.addFile(file);
  try {
    await mocha.loadFilesAsync();
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ file, title: "It does not load", state: "failed", problem }];
  }
  await new Promise((resolve) => mocha.run(resolve));
  return reporter.outcomes;
}

process.on("message", async (file: string) => {
  const [began, before] = [performance.now(), readCpu()];
  const outcomes = await runFile(file);
  const result: FileResult = { outcomes, took: performance.now() - began, cpu: readCpu() - before };
  process.send?.(result);
});
process.once("disconnect", () => process.exit());
