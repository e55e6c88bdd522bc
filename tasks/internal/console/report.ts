import { HardhatPluginError } from "hardhat/plugins";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { errorResult, successfulResult } from "hardhat/utils/result";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { makeVisible, print, visibleLine } from "../../../signer/cli/print.ts";

/** The result of a task, for scripts and for people. */
export interface Report {
  /** Printed on one line with `--json`. */
  readonly json: object;
  /** Printed without `--json`. */
  readonly text: string;
  /** Whether the result is a refusal, so that the process exits with 1. */
  readonly refused?: boolean;
}

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

/** Lays out names and values in two columns. */
export function columns(rows: readonly (readonly [name: string, value: string | number | bigint])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => visibleLine(`${name.padEnd(width)}  ${value}`)).join("\n");
}
