import { didYouMean } from "../../console/closest.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { describeGroup, optionsOf } from "./usage.ts";

/** A command of `identity-signer`. Returns the exit code. */
export type Command = (args: string[]) => Promise<number>;

/** Groups commands under a word, such as `credential set` and `credential list`. */
export const groupCommands =
  (group: string, commands: Readonly<Record<string, Command>>): Command =>
  async ([name = "", ...args]) => {
    const command = commands[name];
    if (command !== undefined) return await command(args);
    const problem =
      name === ""
        ? `Say what to do after ${group}:`
        : `${JSON.stringify(name)} is not a command of ${group}.${didYouMean(name, Object.keys(commands))}`;
    throw new InvalidInputError(`${problem}\n${describeGroup(group)}`);
  };

/** Whether Node's `parseArgs` refused the arguments. */
export const isWrongArgument = (error: unknown): error is TypeError & { readonly code: string } =>
  error instanceof TypeError && "code" in error && /^ERR_PARSE_ARGS/.test(String(error.code));

/**
 * Says what `parseArgs` refused, and what may have been meant.
 *
 * @param words The command with its arguments.
 */
export function describeWrongArgument({ message }: Error, words: readonly string[]): string {
  const [, option] = /^Unknown option '(-[^']*)'/.exec(message) ?? [];
  const problem =
    option === undefined ? message : `There is no ${option}.${didYouMean(option, optionsOf(words))}`;
  const command = words.filter((word) => !word.startsWith("-")).slice(0, 1);
  return `${problem}\nidentity-signer ${command} --help shows the options.`;
}
