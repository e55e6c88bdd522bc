import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../repository.ts";

/**
 * Packs the packages and installs them in a new project, with links to all other packages installed here. Returns the
 * path of `identity-signer`.
 */
export function installPacked(within: string): string {
  const modules = join(within, "project/node_modules");
  const tarballs = join(within, "packed");
  const stdio = ["ignore", "ignore", "inherit"] as const;
  execFileSync(process.execPath, ["scripts/pack.ts", "--to", tarballs], { cwd: root, stdio: [...stdio] });
  mkdirSync(modules, { recursive: true });
  for (const tarball of globSync("*.tgz", { cwd: tarballs })) {
    execFileSync("tar", ["-xzf", join(tarballs, tarball), "-C", within]);
    const unpacked = join(within, "package");
    const { name } = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    renameSync(unpacked, join(modules, name));
  }
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  return join(modules, "hardhat-identity/dist/signer/cli/identity-signer.js");
}
