import { parseArgs } from "node:util";

const text = (usual: string, what: string) => ({ type: "string", default: usual, what }) as const;
const flag = (what: string) => ({ type: "boolean", default: false, what }) as const;

const declared = {
  seconds: text("5", "seconds of each measurement"),
  "warm-up": text("5", "seconds before a server's first measurement"),
  rounds: text("7", "measurements of each server, each round in another order"),
  wallets: text("256", "people with requests"),
  connections: text(
    "1,16,64",
    "concurrent requests at full load; compare measures with each number, overload with the last",
  ),
  kills: text("20", "kills, for failover"),
  grace: text("2", "seconds that the service may take longer than the database to recover, for failover"),
  "database-url": text("", "an empty PostgreSQL database, for a further row of compare"),
  "rpc-url": text("", "a node of chain 84532 with unlocked accounts, instead of a new anvil"),
  json: flag("print the report as JSON"),
  write: flag("write the tables of compare into docs/performance.md"),
  check: flag("measure nothing, and say whether docs/performance.md is older than the code"),
  help: flag("print this text"),
};

/** The options for `--help`, each with its description. */
export const optionsHelp: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(declared).map(([name, { type, default: usual, what }]) => [
    type === "string" ? `--${name} <…>` : `--${name}`,
    usual ? `${what} (${usual})` : what,
  ]),
);

export type Options = ReturnType<typeof readOptions>["options"];

/**
 * @param onStep Called before every step.
 * @throws Error when an argument is invalid.
 */
export function readOptions(args: readonly string[], onStep: (step: string) => void) {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: declared,
  });
  const numbers = (name: "seconds" | "warm-up" | "rounds" | "wallets" | "connections" | "kills" | "grace") =>
    values[name].split(",").map((each) => {
      if (Number(each) > 0) return Number(each);
      throw new Error(`--${name} takes a number above 0, not ${values[name]}.`);
    });
  const number = (...asked: Parameters<typeof numbers>) => numbers(...asked)[0] as number;
  const options = {
    seconds: number("seconds"),
    warmUp: number("warm-up"),
    rounds: number("rounds"),
    wallets: number("wallets"),
    connections: numbers("connections"),
    kills: number("kills"),
    grace: number("grace"),
    databaseUrl: values["database-url"] || undefined,
    rpcUrl: values["rpc-url"] || undefined,
    json: values.json,
    write: values.write,
    check: values.check,
    help: values.help,
    onStep,
  };
  return { names: positionals, options };
}
