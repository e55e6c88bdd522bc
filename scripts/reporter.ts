import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import mocha, { type MochaOptions, type Runnable, type Runner, type Suite, type Test } from "mocha";
import { cleanUpDuring } from "../test/fixtures/cleanup.ts";
import { findSkipReason, type SkipReason } from "../test/fixtures/skip.ts";

/** What became of a test, or of a hook that failed. */
export interface Outcome {
  /** Path below the project. */
  readonly file: string;
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  /** Why it failed. */
  readonly problem?: string;
  readonly skipped?: SkipReason;
}

/**
 * Mocha's own output, and the truth about every test in the file that `TEST_REPORT` names: what Hardhat sums up counts
 * tests that were skipped, or that never ran, as passed.
 */
class Reporter extends mocha.reporters.Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    cleanUpDuring(runner);
    const hooks: Outcome[] = [];
    runner.on("fail", (runnable, error) => {
      if (!isTest(runnable)) hooks.push({ ...describe(runnable), state: "failed", problem: tell(error) });
    });
    const file = process.env.TEST_REPORT;
    if (file === undefined) return;
    runner.on("end", () => {
      writeFileSync(file, JSON.stringify([...testsOf(runner.suite).map(judge), ...hooks]));
    });
  }
}

const isTest = (runnable: Runnable): boolean => "type" in runnable && runnable.type === "test";

function testsOf(suite: Suite): Test[] {
  return [...suite.tests, ...suite.suites.flatMap(testsOf)];
}

function judge(test: Test): Outcome {
  const described = describe(test);
  if (test.state === "passed") return { ...described, state: "passed" };
  if (test.state === "failed") return { ...described, state: "failed", problem: tell(test.err) };
  if (!test.isPending()) {
    return { ...described, state: "failed", problem: "It never ran, for a hook before it failed." };
  }
  const skipped = findSkipReason(test);
  if (skipped !== undefined) return { ...described, state: "skipped", skipped };
  return { ...described, state: "failed", problem: "It is skipped without a reason; see fixtures/skip.ts." };
}

/** The end of what an error says: a program's last lines tell what it died of. */
function tell(error: Error | undefined): string {
  const lines = (error?.message ?? "It failed without an error.").trim().split("\n");
  return [...(lines.length > 20 ? ["…"] : []), ...lines.slice(-20)].join("\n");
}

function describe(runnable: Runnable): { file: string; title: string } {
  const file = runnable.file ?? runnable.parent?.file ?? "";
  return { file: relative(process.cwd(), file), title: runnable.fullTitle() };
}

// Mocha `require`s the reporter, and takes what it gets for the class.
export { Reporter as "module.exports" };
