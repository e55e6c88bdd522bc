import { breakLines } from "@hardhat-identity/console/breakLines";
import { didYouMean } from "@hardhat-identity/console/closest";
import { columns } from "@hardhat-identity/console/columns";
import { print, printError } from "@hardhat-identity/console/print";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { errorResult, successfulResult } from "hardhat/utils/result";

/** Characters in a line of a terminal. */
const screen = 80;

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
    const width = Math.max(...names.map((name) => [...id, name].join(" ").length));
    const list = names.flatMap((name) => {
      const lines = breakLines((subtasks.get(name)?.description ?? "").split(" "), screen - width - 2);
      return lines.map((line, i) => [i === 0 ? [...id, name].join(" ") : "", line] as const);
    });
    print([about, columns(list), "Add --help to a task for its options."].join("\n\n"));
    return successfulResult();
  }
  const refusal = `There is no task ${[...id, word].join(" ")}.${didYouMean(word, names)}`;
  const known = `${id.join(" ")} has ${names.join(", ")}.`;
  const error = new InvalidInputError([refusal, ...breakLines(known.split(" "), screen)].join("\n"));
  printError(error.message);
  return errorResult(error);
}
