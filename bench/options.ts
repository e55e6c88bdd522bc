import { parseArgs } from "node:util";

/** The options of the command line with a value: default and description. */
const withValue = {
  seconds: ["5", "seconds of each measurement"],
  "warm-up": ["5", "seconds before a server's first measurement"],
  rounds: ["7", "measurements of each server, each round in another order"],
  wallets: ["256", "people with requests"],
  connections: [
    "16,64",
    "concurrent requests at full load; compare measures with each number, overload with the last",
  ],
  kills: ["20", "kills, for failover"],
  grace: ["2", "seconds that the service may take longer than the database to recover, for failover"],
  "database-url": ["", "an empty PostgreSQL database, for a further row of compare"],
  "rpc-url": ["", "a node of chain 84532 with unlocked accounts, instead of a new anvil"],
} as const;

const flags = { json: "print the report as JSON", help: "print this text" } as const;

/** The options for `--help`, each with its description. */
export const optionsHelp: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(withValue).map(([name, [standard, what]]) => [
    `--${name} <…>`,
    standard === "" ? what : `${what} (${standard})`,
  ]),
  ...Object.entries(flags).map(([name, what]) => [`--${name}`, what]),
]);

export type Options = ReturnType<typeof readOptions>["options"];

/**
 * @param onStep Called before every step.
 * @throws Error when an argument is invalid.
 */
export function readOptions(args: readonly string[], onStep: (step: string) => void) {
  const declared = [
    ...Object.entries(withValue).map(([name, [standard]]) => [name, { type: "string", default: standard }]),
    ...Object.keys(flags).map((name) => [name, { type: "boolean", default: false }]),
  ];
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: Object.fromEntries(declared),
  });
  const given: Readonly<Record<string, unknown>> = values;
  const text = (name: keyof typeof withValue) => String(given[name]);
  const numbers = (name: keyof typeof withValue) =>
    text(name)
      .split(",")
      .map((each) => {
        if (Number(each) > 0) return Number(each);
        throw new Error(`--${name} takes a number above 0, not ${text(name)}.`);
      });
  const number = (name: keyof typeof withValue) => numbers(name)[0] as number;
  const options = {
    seconds: number("seconds"),
    warmUp: number("warm-up"),
    rounds: number("rounds"),
    wallets: number("wallets"),
    connections: numbers("connections"),
    kills: number("kills"),
    grace: number("grace"),
    databaseUrl: text("database-url") || undefined,
    rpcUrl: text("rpc-url") || undefined,
    json: given.json === true,
    help: given.help === true,
    onStep,
  };
  return { names: positionals, options };
}
