import type { Environment, Needs } from "../environment/environment.ts";
import { type Options, optionsHelp, readOptions } from "../environment/options.ts";
import { root } from "../environment/repository.ts";
import { findCommit } from "../report/page.ts";
import type { Measured, ScenarioReport } from "../report/report.ts";

interface Scenario {
  readonly title: string;
  /** The line for `--help`. */
  readonly summary: string;
  readonly needs: Needs;
  /** Imports the function that measures with an environment. */
  load(): Promise<(environment: Environment, options: Options) => Promise<Measured>>;
}

export const scenarios = {
  compare: {
    title: "Beside what people would write themselves",
    summary: "(default) compares this service with what people would write themselves",
    needs: {},
    load: async () => (await import("./compare.ts")).compare,
  },
  overload: {
    title: "While another client sends the worst",
    summary: "measures the effect of one client's flood on another client",
    needs: { consumers: 33 },
    load: async () => (await import("./overload.ts")).overload,
  },
  failover: {
    title: "The database's primary is killed",
    summary: "kills the primary of a replicated database under load, again and again",
    // Not in TMPDIR: PostgreSQL's user needs access, and the path of its socket must be short.
    needs: { pinned: false, within: "/tmp" },
    load: async () => (await import("./failover.ts")).failover,
  },
} as const satisfies Record<string, Scenario>;

type ScenarioName = keyof typeof scenarios;

/** Measures a scenario with an environment of its own. */
export async function measure(name: ScenarioName, options: Options): Promise<ScenarioReport> {
  const { title, needs, load }: Scenario = scenarios[name];
  const scenario = await load();
  const { createEnvironment } = await import("../environment/environment.ts");
  const environment = await createEnvironment(options, needs);
  try {
    const measured = new Date().toISOString().slice(0, 10);
    const { notes, ...found } = await scenario(environment, options);
    const { machine } = environment;
    const commit = findCommit(root) ?? "unknown";
    return { title, measured, commit, machine, notes: [...environment.notes, ...notes], ...found };
  } finally {
    await environment.close();
  }
}

const list = (entries: Readonly<Record<string, string>>) =>
  Object.entries(entries)
    .map(([name, what]) => `  ${name.padEnd(20)} ${what}\n`)
    .join("");

const summaries = Object.entries(scenarios).map(([name, { summary }]) => [name, summary] as const);

export const help = `npm run bench -- [scenario] [options]

Scenarios
${list(Object.fromEntries(summaries))}
Options
${list(optionsHelp)}`;

/** @throws Error when an argument is invalid. */
export function readCommand(
  args: readonly string[],
  onStep: (step: string) => void,
): { scenario: ScenarioName; options: Options } {
  const { names, options } = readOptions(args, onStep);
  const [name = "compare", ...rest] = names;
  if (!Object.hasOwn(scenarios, name) || rest.length > 0) {
    throw new Error(`There is no scenario "${names.join(" ")}"; see --help.`);
  }
  if (options.write && name !== "compare") throw new Error("--write is for compare.");
  return { scenario: name as ScenarioName, options };
}
