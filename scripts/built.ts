import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The contracts that a build made: every one, or those that ship. */
type Built = "all" | "shipped";

/** Path of the stamp that a build leaves, below the folder of caches. */
export const stampName = "built";

/**
 * Returns what the last build made; `undefined` if its inputs or outputs have changed since. It loads no part of
 * Hardhat, which takes a second.
 */
export function readBuilt(root: string, cache = join(root, "cache")): Built | undefined {
  let stamp: string;
  try {
    stamp = readFileSync(join(cache, stampName), "utf8");
  } catch {
    return undefined;
  }
  const [built, files] = stamp.split("\n\n");
  return files === describeFiles(root) ? (built as Built) : undefined;
}

/** Composes the stamp of a build that has just ended. */
export function composeStamp(root: string, built: Built): string {
  return `${built}\n\n${describeFiles(root)}`;
}

/** Describes the build's inputs and outputs. The text changes with every changed, missing or new file. */
function describeFiles(root: string): string {
  const files = globSync(
    [
      "{hardhat.config.ts,package-lock.json,scripts/*-solc.ts}",
      "{contracts,test/fixtures/contracts}/**/*.sol",
      "{artifacts,typechain-types}/**/*.{json,ts}",
    ],
    { cwd: root },
  );
  const describe = (file: string) => {
    const { mtimeMs, size } = statSync(join(root, file));
    return `${file} ${size} ${mtimeMs}\n`;
  };
  return files.sort().map(describe).join("");
}
