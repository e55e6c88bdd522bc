// `npm run pack -- --to <folder>`: builds the four npm packages from this source tree and writes their tarballs.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import hre from "hardhat";
import { npmCommand } from "./npm.mjs";
import { stageClient } from "./pack/client.ts";
import { stageContracts } from "./pack/contracts.ts";
import { writeManifest } from "./pack/manifest.ts";
import { stagePkcs11 } from "./pack/pkcs11.ts";
import { compile, stagePlugin } from "./pack/plugin.ts";

const { to } = parseArgs({ options: { to: { type: "string" } } }).values;
if (to === undefined) throw new Error("--to is missing: npm run pack -- --to <folder>");
const target = resolve(to);
mkdirSync(target, { recursive: true });

const staging = mkdtempSync(join(tmpdir(), "hardhat-identity-pack-"));
try {
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true });
  const compiled = join(staging, "compiled");
  compile(compiled);
  const packages = {
    contracts: stageContracts,
    client: (folder: string) => stageClient(compiled, folder),
    pkcs11: (folder: string) => stagePkcs11(compiled, folder),
    "hardhat-identity": (folder: string) => stagePlugin(compiled, folder),
  };
  for (const [name, stage] of Object.entries(packages)) {
    const folder = join(staging, name);
    cpSync(join("packages", name), folder, { recursive: true });
    copyFileSync("LICENSE", join(folder, "LICENSE"));
    writeManifest(name, folder);
    await stage(folder);
    const options = ["--loglevel=error", "--ignore-scripts", "--json", "--pack-destination", target];
    const [npm = "", ...args] = npmCommand(["pack", ...options]);
    const output = execFileSync(npm, args, { cwd: folder, encoding: "utf8" });
    const [{ filename, size, unpackedSize }] = JSON.parse(output);
    console.log(`${join(target, filename)} ${kilobytes(size)}, installed ${kilobytes(unpackedSize)}`);
  }
} finally {
  rmSync(staging, { recursive: true, force: true });
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000)} kB`;
}
