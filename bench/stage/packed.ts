import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../repository.ts";

/** A project in which the packed packages are installed, beside links to what else is installed in this repository. */
export interface PackedProject {
  readonly folder: string;
  /** The binary `identity-signer`. */
  readonly program: string;
}

/** Packs what others install, and puts it into a new folder within another. */
export function installPacked(within: string): PackedProject {
  const folder = join(within, "project");
  const modules = join(folder, "node_modules");
  const tarballs = join(within, "packed");
  execFileSync(process.execPath, ["scripts/pack.ts", "--to", tarballs], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
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
  return { folder, program: join(modules, "hardhat-identity/dist/signer/cli/identity-signer.js") };
}
