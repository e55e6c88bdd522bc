import { parseArgs } from "node:util";

/** Numbers, with their defaults. */
const numbers = {
  seconds: [5, "seconds of each measurement, and at least of each step of chaos"],
  "warm-up": [5, "seconds before a server's first measurement"],
  rounds: [7, "measurements of each server, each round in another order"],
  wallets: [256, "people with requests"],
  consumers: [10_000, "consumers, for soak"],
  minutes: [30, "minutes, for soak"],
  kills: [20, "kills, for failover"],
  readers: [8, "people with concurrent requests, for failover and chaos"],
  writers: [4, "credentials written concurrently, for failover and chaos"],
  grace: [2, "seconds that the service may take longer than the database to recover, for failover"],
} as const;

const lists = {
  connections: [
    "16,64",
    "concurrent requests at full load; compare measures with each number, the others with the last",
  ],
} as const;

const texts = {
  "database-url": ["", "an empty PostgreSQL database, for an additional row of compare, and for soak instead of SQLite"],
  curve: ["native", "native or wasm, the curve code of the service (IDENTITY_CURVE)"],
  "rpc-url": ["", "a node of chain 84532 with unlocked accounts, instead of a new anvil"],
} as const;

const flags = {
  json: "print the reports as JSON to standard output",
  "write-docs": 'record the reports and update the docs; with the scenario "none", only update the docs',
  help: "print this text",
} as const;

/** `warm-up` → `warmUp` */
type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Rest>}` : Name;

/** The options of the command line. An omitted text is undefined. */
export type Options = {
  readonly [Name in keyof typeof numbers as Camel<Name>]: number;
} & {
  readonly [Name in keyof typeof lists]: readonly number[];
} & {
  readonly [Name in keyof typeof texts as Camel<Name>]: string | undefined;
} & {
  readonly curve: string;
  readonly [Name in keyof typeof flags as Camel<Name>]: boolean;
} & {
  /** Called before every step. */
  readonly onStep: (step: string) => void;
};

export const list = (entries: Readonly<Record<string, string>>) =>
  Object.entries(entries).map(([name, what]) => `  ${name.padEnd(20)} ${what}\n`);
const given = (all: Readonly<Record<string, readonly [number | string, string]>>, kind: string) =>
  Object.fromEntries(
    Object.entries(all).map(([name, [standard, what]]) => [
      `--${name} <${kind}>`,
      `${what}${standard === "" ? "" : ` (${standard})`}`,
    ]),
  );

/** The options for `--help`. */
export const optionsHelp = list({
  ...given(numbers, "n"),
  ...given(lists, "n,…"),
  ...given(texts, "text"),
  ...Object.fromEntries(Object.entries(flags).map(([name, what]) => [`--${name}`, what])),
}).join("");

/** @throws Error when an argument is invalid. */
export function readOptions(
  args: readonly string[],
  onStep: (step: string) => void,
): { names: readonly string[]; options: Options } {
  const type = { type: "string" } as const;
  const parsed = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: Object.fromEntries([
      ...Object.entries({ ...numbers, ...lists, ...texts }).map(([name, [standard]]) => [
        name,
        { ...type, default: String(standard) },
      ]),
      ...Object.keys(flags).map((name) => [name, { type: "boolean", default: false }]),
    ]),
  });
  const { positionals } = parsed;
  const values: Record<string, unknown> = parsed.values;
  const count = (option: string, value: unknown) => {
    if (Number(value) > 0 && Number.isFinite(Number(value))) return Number(value);
    throw new Error(`--${option} takes a number above 0, not ${value}.`);
  };
  const oneOf = (option: string, allowed: readonly string[]) => {
    const value = String(values[option]) || undefined;
    if (value === undefined || allowed.includes(value)) return value;
    throw new Error(`--${option} takes ${allowed.join(" or ")}, not ${value}.`);
  };
  const camel = (option: string) => option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const readOne = (option: string, value: unknown) => {
    if (option in numbers) return count(option, value);
    if (option in lists)
      return String(value)
        .split(",")
        .map((one) => count(option, one));
    return value === "" ? undefined : value;
  };
  const read = Object.entries(values).map(([option, value]) => [camel(option), readOne(option, value)]);
  const options = {
    ...Object.fromEntries(read),
    curve: oneOf("curve", ["native", "wasm"]),
    onStep,
  };
  return { names: positionals, options: options as Options };
}
