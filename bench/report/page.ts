import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";

/** The page with the tables of `compare`. */
const page = "docs/performance.md";

/** The code that decides what `compare` measures. */
const measured = [
  "signer",
  "packages/protocol",
  "packages/store",
  "packages/operator",
  "deploy/container",
  "bench",
  "package-lock.json",
];

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: "pipe" }).trim();

/** Returns the commit of a clone's code, with "+" if the code was changed since; undefined outside of a clone. */
export function findCommit(folder: string): string | undefined {
  try {
    const changes = git(folder, "status", "--porcelain", "--", ...measured);
    return `${git(folder, "rev-parse", "--short=10", "HEAD")}${changes === "" ? "" : "+"}`;
  } catch {
    return undefined;
  }
}

const section = /(?<=<!-- npm run bench -- --write -->\n).*(?=<!-- the end of its tables -->)/s;

/**
 * Replaces the tables of the page.
 *
 * @throws Error when the code has changes that are in no commit, so that the tables would name none.
 */
export async function writePage(folder: string, tables: string): Promise<void> {
  if (findCommit(folder)?.endsWith("+") !== false)
    throw new Error(`${page} names the commit of what it shows, and the code has changes that are in none.`);
  const file = join(folder, page);
  const text = readFileSync(file, "utf8").replace(section, () => `\n${tables}\n\n`);
  writeFileSync(file, await format(text, { parser: "markdown", printWidth: 120 }));
}

/** Returns what is wrong with the age of the page's tables, or undefined. */
export function describeAge(folder: string): string | undefined {
  const text = readFileSync(join(folder, page), "utf8");
  const [, commit] = /, commit ([0-9a-f]{7,40})\b/.exec(section.exec(text)?.[0] ?? "") ?? [];
  if (commit === undefined) return `${page} does not name the commit that it was measured at.`;
  try {
    const later = git(folder, "log", "--format=%h", `${commit}..HEAD`, "--", ...measured);
    if (later === "") return undefined;
    const count = later.split("\n").length;
    return `${page} was measured at ${commit}. Commits that changed the code since: ${count}. Measure it again: npm run bench -- --write`;
  } catch {
    return `${page} was measured at ${commit}, which is not in this clone.`;
  }
}
