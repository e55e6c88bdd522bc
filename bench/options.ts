import { parseArgs } from "node:util";

export const scenarioNames = [
  "compare",
  "flat",
  "cold",
  "memory",
  "idle",
  "overload",
  "start",
  "profile",
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** How a scenario is measured. */
export interface Options {
  /** Seconds of each measurement. */
  readonly seconds: number;
  /** Seconds before the first measurement of a server that do not count. */
  readonly warmUp: number;
  readonly rounds: number;
  /** How many requests are under way at full load. */
  readonly connections: number;
  /** How many people ask. */
  readonly wallets: number;
  /** How many consumers `cold` and `memory` ask for. */
  readonly consumers: number;
  /** How many requests `memory` sends. */
  readonly requests: number;
  /** How many credentials the stores of `flat` have. */
  readonly credentials: readonly number[];
  /** Processes of the service in a further row of `compare`. */
  readonly workers: number | undefined;
  /** A PostgreSQL database for a further row of `compare`. */
  readonly databaseUrl: string | undefined;
  /** Whether `compare` has a further row for the service without its audit trail. */
  readonly withoutAudit: boolean;
  /** `wasm`, to have the curve so where there is a native one, too. */
  readonly curve: string | undefined;
  /** Whether the service is run from its sources, not as it is packed. */
  readonly source: boolean;
  /** A node that is used in place of one of its own. */
  readonly rpcUrl: string | undefined;
  /** Told of every step before it is taken. */
  readonly onStep: (step: string) => void;
}

/** What the command line asks for. */
export interface Command {
  readonly scenarios: readonly ScenarioName[];
  readonly options: Options;
  readonly json: boolean;
  readonly writeDocs: boolean;
  readonly help: boolean;
}

export const help = `npm run bench -- [scenario] [options]

Scenarios
  compare   (default) this service beside what people would write themselves, and beside the bare floor
  flat      one thousand and one million credentials in the store; --full: ten million, too
  cold      ten thousand consumers in turn, each read from the chain for the first time
  memory    resident memory over a million requests, with ten thousand consumers seen
  idle      the latency of one request at a time
  overload  what one client's flood costs another one
  start     minting in a test, what the plugin adds to a command, and how long the service and the stack take
  profile   what the service's time goes into at full load
  all       every one of them, in this order

Options
  --seconds <n>        of each measurement (5)
  --warm-up <n>        seconds before a server's first measurement (5)
  --rounds <n>         how often each server is measured, in another order each time (5)
  --connections <n>    requests under way at full load (64)
  --wallets <n>        people who ask (256)
  --consumers <n>      of cold and memory (10000)
  --requests <n>       of memory (1000000)
  --full               flat with ten million credentials, too
  --workers <n>        compare: a further row, the service with so many processes (IDENTITY_WORKERS)
  --database-url <url> compare: a further row, the service with an empty PostgreSQL database
  --without-audit      compare: a further row, the service that keeps no audit trail (IDENTITY_AUDIT)
  --curve wasm         service and floor with the curve as WebAssembly (IDENTITY_CURVE)
  --source             the service from its sources, not packed: quicker to begin with
  --rpc-url <url>      a node of chain 84532 with unlocked accounts, in place of an anvil of its own
  --json               the report as JSON on standard output
  --write-docs         add the report to bench/report.json, and write docs/performance.md, its picture and README.md anew;
                       with the scenario "none", nothing is measured before
  --help               this text
`;

/** @throws Error when it is not understood. */
export function readCommand(args: readonly string[], onStep: (step: string) => void): Command {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seconds: { ...text, default: "5" },
      "warm-up": { ...text, default: "5" },
      rounds: { ...text, default: "5" },
      connections: { ...text, default: "64" },
      wallets: { ...text, default: "256" },
      consumers: { ...text, default: "10000" },
      requests: { ...text, default: "1000000" },
      full: flag,
      workers: text,
      "database-url": text,
      "without-audit": flag,
      curve: text,
      source: flag,
      "rpc-url": text,
      json: flag,
      "write-docs": flag,
      help: flag,
    },
  });
  const [scenario = "compare", ...rest] = positionals;
  const scenarios = scenarioNames.filter((name) => scenario === "all" || scenario === name);
  if ((scenarios.length === 0 && scenario !== "none") || rest.length > 0) {
    throw new Error(`There is no scenario "${positionals.join(" ")}"; see --help.`);
  }
  if (values.curve !== undefined && values.curve !== "wasm") throw new Error("--curve takes wasm only.");
  const count = (name: string, value: string) => {
    if (Number.isFinite(Number(value)) && Number(value) > 0) return Number(value);
    throw new Error(`--${name} takes a number above 0, not ${value}.`);
  };
  return {
    scenarios,
    options: {
      seconds: count("seconds", values.seconds),
      warmUp: count("warm-up", values["warm-up"]),
      rounds: count("rounds", values.rounds),
      connections: count("connections", values.connections),
      wallets: count("wallets", values.wallets),
      consumers: count("consumers", values.consumers),
      requests: count("requests", values.requests),
      credentials: [1_000, 1_000_000, ...(values.full ? [10_000_000] : [])],
      workers: values.workers === undefined ? undefined : count("workers", values.workers),
      databaseUrl: values["database-url"],
      withoutAudit: values["without-audit"],
      curve: values.curve,
      source: values.source,
      rpcUrl: values["rpc-url"],
      onStep,
    },
    json: values.json,
    writeDocs: values["write-docs"],
    help: values.help,
  };
}
