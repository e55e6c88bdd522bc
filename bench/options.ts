import { parseArgs } from "node:util";
import { z } from "zod";

const aboveZero = "takes a number above 0";
const number = z.coerce.number(aboveZero).positive(aboveZero);
const flag = z.boolean().default(false);

/** The options of the command line, in camel case. */
const schema = z.object({
  seconds: number.default(5).describe("seconds of each measurement, and at least of each step of chaos"),
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
  consumers: number.default(10_000).describe("consumers, for soak"),
  minutes: number.default(30).describe("minutes, for soak"),
  kills: number.default(20).describe("kills, for failover"),
  readers: number.default(8).describe("people with concurrent requests, for failover and chaos"),
  writers: number.default(4).describe("credentials written concurrently, for failover and chaos"),
  grace: number
    .default(2)
    .describe("seconds that the service may take longer than the database to recover, for failover"),
  curve: z
    .enum(["native", "wasm"], "takes native or wasm")
    .default("native")
    .describe("curve code of the service: native or wasm"),
  databaseUrl: z
    .string()
    .optional()
    .describe("an empty PostgreSQL database, for a further row of compare, and for soak instead of SQLite"),
  rpcUrl: z
    .string()
    .optional()
    .describe("a node of chain 84532 with unlocked accounts, instead of a new anvil"),
  json: flag.describe("print the reports as JSON to standard output"),
  writeDocs: flag.describe(
    'record the reports and update the docs; with the scenario "none", only update the docs',
  ),
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
