import { parseArgs } from "node:util";
import { didYouMean } from "@hardhat-identity/console/closest";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/** A command of `identity-signer`. */
export interface Command {
  /** Its name, then what must follow it. */
  readonly form: string;
  readonly name: string;
  readonly about: string;
  /** Each option as help writes it → its description. */
  readonly options: Readonly<Record<string, string>>;
  /** The exit code of a failure. */
  readonly failure: number;
  /** Whether it serves or guards until it is stopped, unless `--once` is given. */
  readonly isLasting: boolean;
  /** Returns the exit code. */
  run(args: string[]): Promise<number>;
}

/** The values of options: `--url <url>` takes a text, `--other <url>...` can be repeated, and `--json` takes nothing. */
type Values<Option extends string> = {
  readonly [Each in Option as NameOf<Each>]?: Each extends `${string}...`
    ? string[]
    : Each extends `${string} <${string}`
      ? string
      : boolean;
};
type NameOf<Option extends string> = Option extends `--${infer Name} ${string}`
  ? Name
  : Option extends `--${infer Name}`
    ? Name
    : never;

/** Creates a command. `run` loads its code, so that help needs none of it. */
export function command<const Options extends Readonly<Record<string, string>> = Record<never, string>>(
  form: string,
  about: string,
  input: {
    options?: Options;
    failure?: number;
    isLasting?: boolean;
    run: (values: Values<keyof Options & string>, words: readonly string[]) => Promise<number>;
  },
): Command {
  const { options = {} as Options, failure = 1, isLasting = false } = input;
  const name = form.replace(/ ?(--|<).*/, "");
  return {
    form,
    name,
    about,
    options,
    failure,
    isLasting,
    async run(args) {
      const { values, positionals } = parse(args);
      return await input.run(values as Values<keyof Options & string>, positionals);
    },
  };

  function parse(args: string[]) {
    const known = Object.keys(options).map((option) => {
      const [, named = "", value, more] = /^--([a-z-]+)( <.+>)?(\.\.\.)?$/.exec(option) ?? [];
      const type = value === undefined ? ("boolean" as const) : ("string" as const);
      return [named, { type, multiple: more !== undefined }] as const;
    });
    try {
      const allowPositionals = form.startsWith(`${name} <`);
      return parseArgs({ args, options: Object.fromEntries(known), allowPositionals });
    } catch (error) {
      if (!(error instanceof TypeError && "code" in error && /^ERR_PARSE_ARGS/.test(String(error.code)))) {
        throw error;
      }
      const [, unknown] = /^Unknown option '(-[^']*)'/.exec(error.message) ?? [];
      const names = known.map(([named]) => `--${named}`);
      const problem =
        unknown === undefined ? error.message : `There is no ${unknown}.${didYouMean(unknown, names)}`;
      throw new InvalidInputError(`${problem}\nidentity-signer ${name} --help shows the options.`);
    }
  }
}
