// Packs this repository as npm would publish it, and installs it: `node scripts/pack.ts <folder>` leaves a
// `node_modules` there which has the package beside links to the packages of this repository.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

const [folder = ""] = process.argv.slice(2);
if (folder === "") throw new Error("Say where: node scripts/pack.ts <folder>");
const root = resolve(import.meta.dirname, "..");
const modules = join(folder, "node_modules");
const target = join(modules, "hardhat-identity");

mkdirSync(target, { recursive: true });
execFileSync("node", ["scripts/build.ts"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
const npmPack = ["pack", "--ignore-scripts", "--json", "--pack-destination", resolve(folder)];
const [{ filename }] = JSON.parse(
  execFileSync("npm", npmPack, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
);
for (const name of readdirSync(join(root, "node_modules"))) {
  if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name));
}
execFileSync("tar", ["-xzf", filename, "--strip-components=1", "-C", resolve(target)], { cwd: folder });
