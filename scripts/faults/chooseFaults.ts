import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { type Fault, splitTest } from "../../test/faults/fault.ts";

/** Reads all planted faults. */
export async function readFaults(root: string): Promise<Fault[]> {
  const files = globSync("test/faults/*.ts", {
    cwd: root,
    exclude: ["**/{fault,targets,survivors}.ts"],
  }).sort();
  const lists = await Promise.all(files.map((file) => import(join(root, file))));
  return lists.flatMap(({ faults }: { faults: readonly Fault[] }) => faults);
}

/** Selects the faults whose file or tests changed since this branch began. */
export function selectChanged(root: string, faults: readonly Fault[]): Fault[] {
  const changed = readChanged(root);
  return faults.filter(({ file, tests }) =>
    [file, ...tests.map((test) => splitTest(test).file)].some((path) => changed.has(path)),
  );
}

/** Selects the faults with one of the patterns in file, tests or description; all of them without a pattern. */
export function selectMatching(patterns: readonly string[], faults: readonly Fault[]): Fault[] {
  if (patterns.length === 0) return [...faults];
  return faults.filter(({ what, file, tests }) =>
    patterns.some((pattern) => [what, file, ...tests].some((text) => text.includes(pattern))),
  );
}

/** Lists the files that changed since this branch began, or on the main branch since the previous commit. */
function readChanged(root: string): Set<string> {
  const git = (...args: string[]) => {
    try {
      return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
    } catch {
      return "";
    }
  };
  const head = git("rev-parse", "HEAD");
  if (head === "") console.log("There is no git history here: nothing is known to have changed.");
  const fork = git("merge-base", "HEAD", "origin/main");
  const base = fork !== "" && fork !== head ? fork : "HEAD~1";
  return new Set(git("diff", "--name-only", base).split("\n"));
}
