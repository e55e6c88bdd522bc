// Part of `npm test`: runs all Solidity tests, or the files in the arguments, and writes the outcome of each test to
// the file in `TEST_REPORT`.
import { writeFileSync } from "node:fs";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { Outcome } from "./outcome.ts";
import config from "./solidity.config.ts";

interface SuiteResult {
  readonly id: { readonly name: string; readonly source: string };
  readonly testResults: readonly {
    readonly name: string;
    readonly status: "Success" | "Failure" | "Skipped";
    readonly reason?: string;
  }[];
}

const states = { Success: "passed", Failure: "failed", Skipped: "skipped" } as const;

const hre = await createHardhatRuntimeEnvironment(config);
const result = await hre.tasks.getTask(["test", "solidity"]).run({ testFiles: process.argv.slice(2) });
const { suiteResults }: { suiteResults: SuiteResult[] } = result.success ? result.value : result.error;
const outcomes = suiteResults.flatMap(({ id, testResults }) =>
  testResults.map(({ name, status, reason }): Outcome => {
    const test = { file: id.source.replace(/^project\//, ""), title: `${id.name} ${name}` };
    if (status !== "Skipped") {
      return {
        ...test,
        state: states[status],
        ...(status === "Failure" && { problem: reason ?? "It failed." }),
      };
    }
    return reason
      ? { ...test, state: "skipped", skipped: { reason, enabledBy: "what its vm.skip depends on" } }
      : { ...test, state: "failed", problem: "It is skipped without a reason." };
  }),
);
const { TEST_REPORT: report } = process.env;
if (report !== undefined) writeFileSync(report, JSON.stringify(outcomes));
process.exitCode = result.success ? 0 : 1;
