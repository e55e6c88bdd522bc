import { HardhatPluginError } from "hardhat/plugins";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { errorResult, successfulResult } from "hardhat/utils/result";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { columns } from "../../../signer/cli/columns.ts";
import { makeVisible, print } from "../../../signer/cli/print.ts";

export { columns };

/** What a task found out, once for scripts and once for people. */
export interface Report {
  /** Printed as one line with `--json`. */
  readonly json: object;
  /** Printed otherwise. */
  readonly text: string;
  /** Whether the process should exit with 1: the answer is a refusal. */
  readonly refused?: boolean;
}

type Action<ArgsT, ResultT> = (args: ArgsT, hre: HardhatRuntimeEnvironment) => Promise<ResultT>;

/** Makes a task's action of a function that reports, and prints the report. */
export function reporting<ArgsT extends { json: boolean }>(
  run: Action<ArgsT, Report>,
): NewTaskActionFunction {
  return orError(async (args: ArgsT, hre) => {
    const report = await run(args, hre);
    print(args.json ? JSON.stringify(report.json) : report.text);
    return report.refused ? errorResult() : successfulResult();
  });
}

/** Turns bad input into an error without a stack trace; with `--json` into `{"error":{"message"}}`. */
export function orError<ArgsT extends { json: boolean }>(run: Action<ArgsT, unknown>): NewTaskActionFunction {
  return async (args, hre) => {
    try {
      // The arguments are those that the task's definition lists.
      return await run(args as ArgsT, hre);
    } catch (error) {
      makeVisible(error);
      if (!(error instanceof InvalidInputError)) throw error;
      if (!args.json) throw new HardhatPluginError("hardhat-identity", error.message, error);
      print(JSON.stringify({ error: { message: error.message } }));
      return errorResult();
    }
  };
}
