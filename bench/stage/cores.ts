import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Which of the machine's cores are whose, as taskset writes them; undefined where nothing is pinned. */
export interface Cores {
  /** Of a server with one process. */
  readonly one: string | undefined;
  /** Of a server with several. */
  readonly several: string | undefined;
  /** For the report. */
  readonly description: string;
}

/**
 * Gives the server that is measured cores of its own, and this process, with all that it starts otherwise, the rest.
 *
 * @param workers How many cores a server with several processes is to have.
 */
export function divideCores(workers: number): Cores {
  const all = listCores();
  if (all === undefined) {
    return { one: undefined, several: undefined, description: "Nothing is pinned: there is no taskset." };
  }
  const several = all.slice(-workers);
  const others = all.slice(0, Math.max(1, all.length - workers));
  const [one = 0] = all.slice(-1);
  execFileSync("taskset", ["-acp", others.join(","), String(process.pid)], { stdio: "ignore" });
  const sentences = [
    others.includes(one)
      ? `There is one core, ${one}, for the server, the load generator and the node together.`
      : `The server has core ${one}, load generator and node ${others.join(", ")}.`,
    ...(workers > 1 ? [`Several processes have ${several.join(", ")}.`] : []),
    ...(workers > 1 && several.some((core) => others.includes(core))
      ? ["They share with load generator and node, for there are no more cores."]
      : []),
  ];
  return { one: String(one), several: several.join(","), description: sentences.join(" ") };
}

/** The cores that this process may use; undefined where that cannot be told, or set. */
function listCores(): number[] | undefined {
  try {
    execFileSync("taskset", ["--version"], { stdio: "ignore" });
    const [, list = ""] =
      /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return list.split(",").flatMap((range) => {
      const [from = 0, to = from] = range.split("-").map(Number);
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
  } catch {
    return undefined;
  }
}

// Before anything is pinned.
const count = listCores()?.length ?? availableParallelism();

/** How many cores this process could use when it started. */
export const countCores = (): number => count;
