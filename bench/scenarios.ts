import type { Environment, Needs } from "./environment/environment.ts";
import { list, type Options, optionsHelp, readOptions } from "./options.ts";
import type { Measured } from "./report/report.ts";

interface Scenario {
  readonly title: string;
  /** The line for `--help`. */
  readonly summary: string;
  /** The report in bench/ that records it, if any. */
  readonly report?: "performance" | "failover";
  /** The parts that it needs; none if it starts everything itself. */
  readonly needs?: (options: Options) => Needs;
  load(): Promise<(environment: Environment, options: Options) => Promise<Measured>>;
}

const docs = { report: "performance" } as const;
const cluster = {
  report: "failover",
  // Not in TMPDIR: PostgreSQL's user needs access, and the path of its socket must be short.
  needs: () => ({ pinned: false, within: "/tmp" }),
} as const;

const all = {
  compare: {
    ...docs,
    title: "Beside what people would write themselves",
    summary:
      "(default) compares this service with what people would write themselves, and with the bare floor",
    load: async () => (await import("./scenarios/compare.ts")).compare,
  },
  overload: {
    ...docs,
    title: "While another client sends the worst",
    summary: "measures the effect of one client's flood on another client",
    needs: () => ({ consumers: 33 }),
    load: async () => (await import("./scenarios/overload.ts")).overload,
  },
  soak: {
    title: "At half load, for long",
    summary: "checks whether memory, sockets and open files of a service grow at half load",
    needs: ({ consumers }) => ({ pinned: false, consumers }),
    load: async () => (await import("./scenarios/soak.ts")).soak,
  },
  failover: {
    ...cluster,
    title: "The database's primary is killed",
    summary: "kills the primary of a replicated database under load, again and again",
    load: async () => (await import("./cluster/trials.ts")).failover,
  },
  chaos: {
    ...cluster,
    title: "One part after the other fails",
    summary: "kills, stops and restarts one part of a replicated service after the other",
    load: async () => (await import("./cluster/trials.ts")).chaos,
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof all;
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = all;

const summaries = Object.entries(scenarios).map(([name, { summary }]) => [name, summary]);

export const help = `npm run bench -- [scenario] [options]

Scenarios
${list({ ...Object.fromEntries(summaries), all: "all scenarios of docs/performance.md, in this order" }).join("")}
Options
${optionsHelp}`;

/** @throws Error when an argument is invalid. */
export function readCommand(
  args: readonly string[],
  onStep: (step: string) => void,
): { scenarios: readonly ScenarioName[]; options: Options } {
  const { names, options } = readOptions(args, onStep);
  const [name = "compare", ...rest] = names;
  const found = (Object.keys(scenarios) as ScenarioName[]).filter((each) =>
    name === "all" ? scenarios[each].report === "performance" : name === each,
  );
  if ((found.length === 0 && name !== "none") || rest.length > 0) {
    throw new Error(`There is no scenario "${names.join(" ")}"; see --help.`);
  }
  return { scenarios: found, options };
}
