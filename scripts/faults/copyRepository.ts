import { execFileSync } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** Copies the repository, including build outputs. */
export function copyRepository(root: string, folder: string): void {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim().split("\n");
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    try {
      cpSync(join(root, file), join(folder, file));
    } catch (error) {
      // A deleted file whose deletion is not committed yet.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  for (const built of ["artifacts", "cache", "typechain-types"]) {
    cpSync(join(root, built), join(folder, built), { recursive: true });
  }
  linkModules(join(root, "node_modules"), join(folder, "node_modules"));
}

/** Links what is installed; this repository's own packages, which are links themselves, to those of the copy. */
function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (name === "@hardhat-identity") linkModules(source, target);
    else if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else symlinkSync(source, target);
  }
}
