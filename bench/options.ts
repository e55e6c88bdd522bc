import { parseArgs } from "node:util";
import { z } from "zod";

const aboveZero = "takes a number above 0";
const number = z.coerce.number(aboveZero).positive(aboveZero);
const flag = z.boolean().default(false);

/** The options of the command line, in camel case. */
const schema = z.object({
  seconds: number.default(5).describe("seconds of each measurement"),
  warmUp: number.default(5).describe("seconds before a server's first measurement"),
  rounds: number.default(7).describe("measurements of each server, each round in another order"),
  wallets: number.default(256).describe("people with requests"),
  connections: z
    .string()
    .transform((text) => text.split(",").map(Number))
    .pipe(z.array(z.number(aboveZero).positive(aboveZero)))
    .default([16, 64])
    .describe(
      "concurrent requests at full load; compare measures with each number, the others with the last",
    ),
  kills: number.default(20).describe("kills, for failover"),
  grace: number
    .default(2)
    .describe("seconds that the service may take longer than the database to recover, for failover"),
  databaseUrl: z.string().optional().describe("an empty PostgreSQL database, for a further row of compare"),
  rpcUrl: z
    .string()
    .optional()
    .describe("a node of chain 84532 with unlocked accounts, instead of a new anvil"),
  json: flag.describe("print the report as JSON"),
  help: flag.describe("print this text"),
});

export type Options = Readonly<z.infer<typeof schema>> & {
  /** Called before every step. */
  readonly onStep: (step: string) => void;
};

/** Every option with its default. */
const options = Object.entries(schema.shape).map(([name, { description = "" }]) => ({
  name,
  flag: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  what: description,
  standard: Object(schema.parse({}))[name] as unknown,
}));

/** The options for `--help`, each with its description. */
export const optionsHelp: Readonly<Record<string, string>> = Object.fromEntries(
  options.map(({ flag, what, standard }) => {
    if (standard === false) return [`--${flag}`, what];
    return [`--${flag} <…>`, standard === undefined ? what : `${what} (${standard})`];
  }),
);

/** @throws Error when an argument is invalid. */
export function readOptions(
  args: readonly string[],
  onStep: Options["onStep"],
): { names: readonly string[]; options: Options } {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: Object.fromEntries(
      options.map(({ flag, standard }) => [flag, { type: standard === false ? "boolean" : "string" }]),
    ),
  });
  const given = Object.fromEntries(options.map(({ name, flag }) => [name, values[flag]]));
  const { data, error } = schema.safeParse(given);
  if (data !== undefined) return { names: positionals, options: { ...data, onStep } };
  const [
    {
      path: [name],
      message,
    } = { path: [], message: "" },
  ] = error.issues;
  const { flag } = options.find((option) => option.name === name) ?? {};
  throw new Error(`--${flag} ${message}, not ${values[flag ?? ""]}.`);
}
