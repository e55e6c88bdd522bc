// A process that runs test files, one after another, as `npm test` names them. One process runs many, because loading Hardhat
// takes longer than most of them.
import { createRequire } from "node:module";
import Mocha from "mocha";
import type { Outcome } from "./outcome.ts";

/** What a worker says of a file that it has run. */
export interface FileResult {
  readonly outcomes: readonly Outcome[];
  /** Milliseconds, loading included. */
  readonly took: number;
}

process.env.HH_TEST = "true";
process.env.NODE_ENV ??= "test";
// Mocha only fails a test for an exception.
process.on("unhandledRejection", (reason) => {
  throw reason;
});

const { default: hre } = await import("hardhat");
const options = hre.config.test.mocha;
const reporter = createRequire(import.meta.url)(String(options.reporter));

async function run(file: string): Promise<readonly Outcome[]> {
  // Whoever asks whether a file fails at all need not know what else does.
  const mocha = new Mocha({ ...options, bail: process.env.TEST_BAIL === "true" });
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
  const began = performance.now();
  const outcomes = await run(file);
  const result: FileResult = { outcomes, took: performance.now() - began };
  process.send?.(result);
});
process.once("disconnect", () => process.exit());
