import { didYouMean } from "@hardhat-identity/console/closest";
import { columns } from "@hardhat-identity/console/columns";
import { print, printError } from "@hardhat-identity/console/print";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { errorResult, successfulResult } from "hardhat/utils/result";

/**
 * Lists the subtasks of a task that has nothing else. Refuses any word, and says which subtask it was probably meant to
 * be.
 *
 * @param about A text above the list.
 */
export async function runGroup(
  id: readonly string[],
  about: string,
  [word]: readonly string[],
  hre: HardhatRuntimeEnvironment,
) {
  const { subtasks } = hre.tasks.getTask([...id]);
  const names = [...subtasks.keys()].sort();
  if (word === undefined) {
    const list = names.map(
      (name) => [[...id, name].join(" "), subtasks.get(name)?.description ?? ""] as const,
    );
    print([about, columns(list), "Add --help to a task for its options."].join("\n\n"));
    return successfulResult();
  }
  const task = [...id, word].join(" ");
  const error = new InvalidInputError(
    `There is no task ${task}; ${id.join(" ")} has ${names.join(", ")}.${didYouMean(word, names)}`,
  );
  printError(error.message);
  return errorResult(error);
}
