import { relative } from "node:path";
import mocha, { type MochaOptions, type Runnable, type Runner, type Suite, type Test } from "mocha";
import { cleanUpDuring } from "../../test/fixtures/cleanup.ts";
import { findSkipReason } from "../../test/fixtures/skip.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Mocha's own reporter, which also collects the {@link outcomes}: Hardhat's summary counts tests that were skipped or
 * never ran as passed.
 */
class Reporter extends mocha.reporters.Spec {
  /** The outcome of every test of the last run. */
  static outcomes: readonly Outcome[] = [];

  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    cleanUpDuring(runner);
    const hooks: Outcome[] = [];
    runner.on("fail", (runnable, error) => {
      if (!isTest(runnable))
        hooks.push({ ...locateTest(runnable), state: "failed", problem: explain(error) });
    });
    runner.on("end", () => {
      Reporter.outcomes = [...testsOf(runner.suite).map(judgeTest), ...hooks];
    });
  }
}

const isTest = (runnable: Runnable): boolean => "type" in runnable && runnable.type === "test";

function testsOf(suite: Suite): Test[] {
  return [...suite.tests, ...suite.suites.flatMap(testsOf)];
}

function judgeTest(test: Test): Outcome {
  const described = locateTest(test);
  if (test.state === "passed") return { ...described, state: "passed" };
  if (test.state === "failed") return { ...described, state: "failed", problem: explain(test.err) };
  if (!test.isPending()) {
    return { ...described, state: "failed", problem: "It never ran, because a hook before it failed." };
  }
  const skipped = findSkipReason(test);
  if (skipped !== undefined) return { ...described, state: "skipped", skipped };
  return { ...described, state: "failed", problem: "It is skipped without a reason; see fixtures/skip.ts." };
}

/** Describes an error by its message, difference and place. Of a long message, the end says why a program died. */
function explain(error: (Error & { actual?: unknown; expected?: unknown }) | undefined): string {
  if (error === undefined) return "It failed without an error.";
  const lines = String(error.message).trim().split("\n");
  const message = [...(lines.length > 40 ? ["…"] : []), ...lines.slice(-40)].join("\n");
  const { actual, expected } = error;
  const hasDifference = typeof actual === "string" && typeof expected === "string";
  const difference = hasDifference ? mocha.reporters.Base.generateDiff(actual, expected) : "";
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at .*\/[^:]+\.ts:/.test(line) && !line.includes("node_modules"));
  return [message, difference, ...frames.slice(0, 5)].filter((part) => part !== "").join("\n");
}

function locateTest(runnable: Runnable): { file: string; title: string } {
  const file = runnable.file ?? runnable.parent?.file ?? "";
  return { file: relative(process.cwd(), file), title: runnable.fullTitle() };
}

// Mocha loads the reporter with `require`, and expects the result to be the class.
export { Reporter as "module.exports" };
