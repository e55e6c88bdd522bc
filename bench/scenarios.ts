import type { Environment, Needs } from "./environment/environment.ts";
import { type Options, optionsHelp, readOptions } from "./options.ts";
import type { Measured } from "./report/report.ts";

/** The documents with tables of reports: `docs/<name>.md`. */
export type Document = "performance" | "failover" | "gas";

interface Scenario {
  readonly title: string;
  /** The line for `--help`. */
  readonly summary: string;
  /** The document with its table, if any. */
  readonly document?: Document;
  measure(options: Options): Promise<Measured>;
}

/** Returns a function that measures with an environment, which is closed afterwards. */
const around =
  (
    load: () => Promise<(environment: Environment, options: Options) => Promise<Measured>>,
    needs: (options: Options) => Needs = () => ({}),
  ): Scenario["measure"] =>
  async (options) => {
    const measure = await load();
    const { createEnvironment } = await import("./environment/environment.ts");
    const environment = await createEnvironment(options, needs(options));
    try {
      const { notes, ...found } = await measure(environment, options);
      return { machine: environment.machine, notes: [...environment.notes, ...notes], ...found };
    } finally {
      await environment.close();
    }
  };

// Not in TMPDIR: PostgreSQL's user needs access, and the path of its socket must be short.
const needsOfCluster = () => ({ pinned: false, within: "/tmp" });

const all = {
  compare: {
    document: "performance",
    title: "Beside what people would write themselves",
    summary:
      "(default) compares this service with what people would write themselves, and with the bare floor",
    measure: around(async () => (await import("./scenarios/compare.ts")).compare),
  },
  overload: {
    document: "performance",
    title: "While another client sends the worst",
    summary: "measures the effect of one client's flood on another client",
    measure: around(
      async () => (await import("./scenarios/overload.ts")).overload,
      () => ({ consumers: 33 }),
    ),
  },
  soak: {
    title: "At half load, for long",
    summary: "checks whether memory, sockets and open files of a service grow at half load",
    measure: around(
      async () => (await import("./scenarios/soak.ts")).soak,
      ({ consumers }) => ({ pinned: false, consumers }),
    ),
  },
  failover: {
    document: "failover",
    title: "The database's primary is killed",
    summary: "kills the primary of a replicated database under load, again and again",
    measure: around(async () => (await import("./cluster/trials.ts")).failover, needsOfCluster),
  },
  chaos: {
    document: "failover",
    title: "One part after the other fails",
    summary: "kills, stops and restarts one part of a replicated service after the other",
    measure: around(async () => (await import("./cluster/trials.ts")).chaos, needsOfCluster),
  },
  gas: {
    document: "gas",
    title: "The gas of a first claim",
    summary: "measures the gas of a first claim at our consumers and at the alternatives",
    measure: async () => (await import("./gas/measure.ts")).measureGas(),
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof all;
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = all;
const scenarioNames = Object.keys(scenarios) as ScenarioName[];

const list = (entries: Readonly<Record<string, string>>) =>
  Object.entries(entries)
    .map(([name, what]) => `  ${name.padEnd(20)} ${what}\n`)
    .join("");

export const help = `npm run bench -- [scenario] [options]

Scenarios
${list(Object.fromEntries(scenarioNames.map((name) => [name, scenarios[name].summary])))}${list({ all: "all scenarios of docs/performance.md, in this order" })}
Options
${list(optionsHelp)}`;

/** @throws Error when an argument is invalid. */
export function readCommand(
  args: readonly string[],
  onStep: (step: string) => void,
): { scenarios: readonly ScenarioName[]; options: Options } {
  const { names, options } = readOptions(args, onStep);
  const [name = "compare", ...rest] = names;
  const found = scenarioNames.filter((each) =>
    name === "all" ? scenarios[each].document === "performance" : name === each,
  );
  if ((found.length === 0 && name !== "none") || rest.length > 0) {
    throw new Error(`There is no scenario "${names.join(" ")}"; see --help.`);
  }
  return { scenarios: found, options };
}
