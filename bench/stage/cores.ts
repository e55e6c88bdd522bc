import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Which of the machine's cores are whose; undefined where the system cannot be told. */
export interface Cores {
  readonly server: string | undefined;
  /** One sentence for the report. */
  readonly description: string;
}

/**
 * Gives the server that is measured cores of its own, and this process, with all that it starts otherwise, the rest.
 *
 * @param wanted How many cores the server is to have; 0 for a machine as it is.
 */
export function divideCores(wanted: number): Cores {
  if (wanted === 0) return { server: undefined, description: "Nothing is pinned." };
  const all = listCores();
  if (all === undefined) {
    return { server: undefined, description: "Nothing is pinned: this system has no taskset." };
  }
  const others = all.slice(0, Math.max(1, all.length - wanted));
  const server = all.slice(-wanted);
  const isShared = server.some((core) => others.includes(core));
  execFileSync("taskset", ["-acp", others.join(","), String(process.pid)], { stdio: "ignore" });
  const description = isShared
    ? `The server has core ${server.join(", ")}, of which load generator and node use ${others.join(", ")}, too: there are no more.`
    : `The server has core ${server.join(", ")}, load generator and node ${others.join(", ")}.`;
  return { server: server.join(","), description };
}

/** The cores that this process may use. */
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

/** How many cores this process may use. */
export const countCores = (): number => listCores()?.length ?? availableParallelism();
