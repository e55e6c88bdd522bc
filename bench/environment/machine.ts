import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { root } from "./repository.ts";

/** The machine of a measurement. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly system: string;
}

/** Returns the cores that this process may use; undefined if they cannot be read, or set. */
function listCores(): number[] | undefined {
  try {
    execFileSync("taskset", ["--version"], { stdio: "ignore" });
    const status = readFileSync("/proc/self/status", "utf8");
    const [, list = ""] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status) ?? [];
    return list.split(",").flatMap((range) => {
      const [from = 0, to = from] = range.split("-").map(Number);
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
  } catch {
    return undefined;
  }
}

// Read before anything is pinned.
const all = listCores();

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: all?.length ?? availableParallelism(),
    node: process.versions.node,
    system: `${process.platform} ${process.arch}`,
  };
}

/** Pins this process and all that it starts to all cores but the last, which is for the measured server. */
export function reserveCore(): { core: string | undefined; description: string } {
  if (all === undefined) return { core: undefined, description: "Nothing is pinned: there is no taskset." };
  const [core = 0] = all.slice(-1);
  const others = all.length > 1 ? all.slice(0, -1) : all;
  execFileSync("taskset", ["-acp", others.join(","), String(process.pid)], { stdio: "ignore" });
  const description = others.includes(core)
    ? `There is one core, ${core}, for the server, the load generator and the node together.`
    : `The server has core ${core}, load generator and node ${others.join(", ")}.`;
  return { core: String(core), description };
}

/** Returns the version of an installed package. */
export const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
