// `npm run pack -- --to <folder> [--release] [package …]`: builds npm packages from this source tree, and writes the tarballs
// of the named packages and of those that they need, or of all.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import hre from "hardhat";
import { npmCommand } from "./npm.mjs";
import { stageClient } from "./pack/client.ts";
import { compile, stageCompiled } from "./pack/compile.ts";
import { stageContracts } from "./pack/contracts.ts";
import { stageFiles } from "./pack/files.ts";
import { listPackages, writeManifest } from "./pack/manifest.ts";
import { exitWithUsage, readArguments } from "./readArguments.ts";

const { values, positionals } = readArguments(import.meta.filename, {
  allowPositionals: true,
  options: { to: { type: "string" }, release: { type: "boolean" } },
});
const { to, release = false } = values;
const sources = listPackages(positionals);
if (to === undefined) exitWithUsage(import.meta.filename, "--to is missing.");
const target = resolve(to);
mkdirSync(target, { recursive: true });

const staging = mkdtempSync(join(tmpdir(), "hardhat-identity-pack-"));
try {
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true });
  const compiled = join(staging, "compiled");
  compile(compiled);
  for (const source of sources) {
    const folder = join(staging, source);
    mkdirSync(folder, { recursive: true });
    writeManifest(source, folder, release);
    for (const file of ["README.md", "LICENSE"]) {
      copyFileSync(existsSync(join(source, file)) ? join(source, file) : file, join(folder, file));
    }
    if (source === "contracts") await stageContracts(folder);
    else if (source === "packages/client") await stageClient(compiled, folder);
    else stageCompiled(compiled, source, folder);
    await stageFiles(source, folder);
    const options = ["--loglevel=error", "--ignore-scripts", "--json", "--pack-destination", target];
    const [npm = "", ...args] = npmCommand(["pack"].concat(options));
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
