import { InvalidInputError } from "../../protocol/errors.ts";

/** A command of `identity-signer`. Returns the exit code. */
export type Command = (args: string[]) => Promise<number>;

/** Groups commands under a word, such as `credential set` and `credential list`. */
export const groupCommands =
  (group: string, commands: Readonly<Record<string, Command>>): Command =>
  async ([name = "", ...args]) => {
    const command = commands[name];
    if (command !== undefined) return await command(args);
    const names = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(Object.keys(commands));
    throw new InvalidInputError(`${group} is followed by ${names}, not ${JSON.stringify(name)}.`);
  };

/** Whether Node's `parseArgs` refused the arguments. */
export const isWrongArgument = (error: unknown): error is TypeError =>
  error instanceof TypeError && "code" in error && /^ERR_PARSE_ARGS/.test(String(error.code));
