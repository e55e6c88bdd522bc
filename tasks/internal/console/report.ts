import { columns } from "@hardhat-identity/console/columns";
import { makeVisible, print, printError, visibleLine } from "@hardhat-identity/console/print";
import { printReport, type Report } from "@hardhat-identity/console/report";
import { showTime } from "@hardhat-identity/console/time";
import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { errorResult, successfulResult } from "hardhat/utils/result";
import type { Arguments, TaskName } from "../../options.ts";

type Action<Task extends TaskName, ResultT> = (
  args: Arguments<Task>,
  hre: HardhatRuntimeEnvironment,
) => Promise<ResultT>;

/** Turns a function that returns a report into a task action that prints the report. */
export function reporting<Task extends TaskName>(run: Action<Task, Report>) {
  return orError<Task>(async (args, hre) => {
    const report = await run(args, hre);
    const exitCode = printReport(report, args.json);
    if (exitCode === 1) return errorResult();
    // Hardhat knows 0 and 1 only.
    if (exitCode !== 0) process.exitCode = exitCode;
    return successfulResult();
  });
}

/**
 * Reports invalid input, and a node that fails, in one line on standard error, or with `--json` as
 * `{"error":{"message"}}`. The task's result has the error. Any other error is thrown: Hardhat prints its stack.
 */
export function orError<Task extends TaskName>(
  run: Action<Task, unknown>,
): NewTaskActionFunction<Arguments<Task>> {
  return async (args, hre) => {
    try {
      return await run(args, hre);
    } catch (error) {
      makeVisible(error);
      const message = describeError(error) ?? (args.json ? describeHardhatError(error) : undefined);
      if (message === undefined) throw error;
      if (args.json) print(JSON.stringify({ error: { message } }));
      else printError(message);
      return errorResult(error);
    }
  };
}

/** A verification for people, who do not read unix seconds. */
export const describeVerification = <V extends { readonly expiration: number }>(shown: V): string =>
  columns(Object.entries({ ...shown, expiration: `${shown.expiration} (${showTime(shown.expiration)})` }));

/** Hardhat's own message, such as for an unreachable node. Without `--json`, Hardhat prints it with its advice. */
const describeHardhatError = (error: unknown): string | undefined =>
  error instanceof Error && error.name === "HardhatError" ? error.message : undefined;

/** An expected error, in a line; `undefined` for any other error, which is a bug. */
function describeError(error: unknown): string | undefined {
  if (error instanceof InvalidInputError || error instanceof ChainUnavailableError) return error.message;
  // An error of Hardhat's provider has the node's own code.
  const { code, message } = readRpcError(error);
  return code === undefined
    ? undefined
    : visibleLine(`The node answered with an error: ${message} (${code})`);
}
