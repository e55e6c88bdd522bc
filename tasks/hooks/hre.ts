import type { ArgumentType } from "hardhat/types/arguments";
import type { HardhatRuntimeEnvironmentHooks } from "hardhat/types/hooks";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { Task } from "hardhat/types/tasks";

export default async (): Promise<Partial<HardhatRuntimeEnvironmentHooks>> => ({
  async created(_context, hre) {
    const group = hre.tasks.getTask("identity");
    // The process then prints the help, and runs no task.
    if (hre.globalOptions.help) plainHelp(group);
    else await correctOptions(group, hre.globalOptions, process.argv.slice(2));
  },
});

/**
 * Makes the help show `--port <value>` instead of Hardhat's name for an optional option's type, and hides the default of a
 * list of words.
 */
function plainHelp(task: Task): void {
  for (const [name, option] of task.options) {
    const isText = option.type === "STRING_WITHOUT_DEFAULT";
    if (isText) task.options.set(name, { ...option, type: "value" as ArgumentType });
  }
  task.positionalArguments = task.positionalArguments.map((argument) => {
    const { defaultValue: _, ...withoutDefault } = argument;
    return argument.isVariadic ? withoutDefault : argument;
  });
  for (const subtask of task.subtasks.values()) plainHelp(subtask);
}

/** Names the option that a mistyped one was probably meant to be: Hardhat, which then refuses it, does not. */
async function correctOptions(
  group: Task,
  globalOptions: HardhatRuntimeEnvironment["globalOptions"],
  words: readonly string[],
): Promise<void> {
  const start = words.indexOf(group.id.join());
  if (start === -1) return;
  let task = group;
  const given = words.slice(start + 1);
  for (const word of given) task = task.subtasks.get(word) ?? task;
  const known = [...task.options.keys(), ...Object.keys(globalOptions)].map(toOption);
  const separator = given.indexOf("--");
  for (const word of separator === -1 ? given : given.slice(0, separator)) {
    const [option = ""] = word.split("=");
    if (!option.startsWith("--") || known.includes(option)) continue;
    const { didYouMean } = await import("@hardhat-identity/console/closest");
    const { printError } = await import("@hardhat-identity/console/print");
    const suggestion = didYouMean(option, known);
    if (suggestion !== "") printError(`There is no ${option}.${suggestion}`);
  }
}

/** An option as it is typed. */
const toOption = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
