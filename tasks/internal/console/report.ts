import { HardhatPluginError } from "hardhat/plugins";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { errorResult, successfulResult } from "hardhat/utils/result";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { columns } from "../../../signer/cli/columns.ts";
import { makeVisible, print } from "../../../signer/cli/print.ts";
import type { Report } from "../../../signer/cli/report.ts";

export type { Report };
export { columns };

type Action<ArgsT, ResultT> = (args: ArgsT, hre: HardhatRuntimeEnvironment) => Promise<ResultT>;

/** Turns a function that returns a report into a task action that prints the report. */
export function reporting<ArgsT extends { json: boolean }>(
  run: Action<ArgsT, Report>,
): NewTaskActionFunction {
  return orError(async (args: ArgsT, hre) => {
    const report = await run(args, hre);
    print(args.json ? JSON.stringify(report.json) : report.text);
    return report.refused ? errorResult() : successfulResult();
  });
}

/** Reports invalid input as an error without a stack trace, or with `--json` as `{"error":{"message"}}`. */
export function orError<ArgsT extends { json: boolean }>(run: Action<ArgsT, unknown>): NewTaskActionFunction {
  return async (args, hre) => {
    try {
      // The task's definition declares these arguments.
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
