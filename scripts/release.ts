// A release, as .github/workflows/release.yml makes it; docs/releasing.md says when and how.
//
//   npm run release                                     both steps, as a dry run that publishes nothing
//   node scripts/release.ts pack <folder>               packs every package, and tries the files in projects of others
//   node scripts/release.ts publish <folder> [--dry-run]  publishes the packed files, dependencies first
//   node scripts/release.ts names <folder>              packs an empty version 0.0.0 of each package, to take its name
//
// It imports nothing that is installed, so that no dependency runs where packages are published.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";

/** The part of a manifest that this reads. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface PackedPackage {
  readonly file: string;
  readonly manifest: Manifest;
}

/** The first npm that publishes by the workflow's identity, without a token. */
const oldestNpm = "11.5.1";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "dry-run": { type: "boolean" } },
});
const [step = "dry-run", folder] = positionals;
const { version }: Manifest = JSON.parse(readFileSync("package.json", "utf8"));

switch (step) {
  case "pack":
    requireRelease();
    pack(named(folder));
    break;
  case "publish":
    publish(named(folder), values["dry-run"] ?? false);
    break;
  case "names":
    packNames(named(folder));
    break;
  case "dry-run": {
    const temporary = mkdtempSync(join(tmpdir(), "hardhat-identity-release-"));
    try {
      requireRelease();
      pack(temporary);
      publish(temporary, true);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
    break;
  }
  default:
    throw new Error(`There is no step ${step}; there are pack, publish and names.`);
}

function named(given: string | undefined): string {
  if (given === undefined) throw new Error(`The folder is missing: node scripts/release.ts ${step} <folder>`);
  return resolve(given);
}

/** Checks the tag and the changelog. A dry run says what is missing, and goes on. */
function requireRelease(): void {
  const { GITHUB_REF_TYPE: kind, GITHUB_REF_NAME: tag } = process.env;
  const changes = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
  const heading = new RegExp(`^${version.replaceAll(".", "\\.")} - \\d{4}-\\d\\d-\\d\\d\\n`);
  const problems = [
    ...(kind === "tag" && tag !== `v${version}`
      ? [`The tag is ${tag}, and package.json says ${version}: tag v${version}.`]
      : []),
    ...(changes.some((part) => heading.test(part))
      ? []
      : [`CHANGELOG.md has no part "## ${version} - YYYY-MM-DD": date what stands under "Unreleased".`]),
  ];
  if (problems.length > 0 && kind === "tag") throw new Error(problems.join("\n"));
  for (const problem of problems) console.log(`Before the release: ${problem}`);
}

/** Packs every package, and tries the packed files in projects outside of this repository. */
function pack(to: string): void {
  runCommand(process.execPath, "scripts/pack.ts", "--release", "--to", to);
  for (const toolbox of ["mocha-ethers", "viem"]) {
    const given = ["--toolbox", toolbox, "--hardhat", "newest", "--packed", to];
    runCommand(process.execPath, "scripts/try-packages.ts", ...given);
  }
  for (const { file, manifest } of readPackages(to)) {
    const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
    console.log(`${digest}  ${basename(file)}  ${manifest.name}@${manifest.version}`);
  }
}

/** Publishes the packed files, each after the packages that it needs. It leaves out the packages that npm has already. */
function publish(from: string, isDryRun: boolean): void {
  const npm = runNpm("--version");
  if (npm.localeCompare(oldestNpm, "en", { numeric: true }) < 0) {
    throw new Error(`npm ${oldestNpm} or newer is needed, and this is ${npm}. Use Node 24.`);
  }
  const packages = inOrder(readPackages(from));
  const strange = packages.find(({ manifest }) => manifest.version !== version);
  if (packages.length === 0) throw new Error(`There is no packed package in ${from}.`);
  if (strange !== undefined) throw new Error(`${strange.file} is not of version ${version}.`);
  for (const { file, manifest } of packages) {
    if (!isDryRun && isPublished(manifest)) {
      console.log(`${manifest.name}@${version} is published already.`);
      continue;
    }
    // A dry run has no identity to sign a provenance with.
    const how = isDryRun ? "--dry-run" : "--provenance";
    const tag = version.includes("-") ? "next" : "latest";
    runCommand("npm", "publish", file, "--access", "public", "--tag", tag, "--loglevel", "error", how);
  }
  const what = packages.map(({ manifest }) => manifest.name).join(", ");
  console.log(`${isDryRun ? "Would publish" : "Published"} ${version}, in this order: ${what}.`);
}

/** Sorts packages so that each comes after those that it needs. */
function inOrder(packages: readonly PackedPackage[]): PackedPackage[] {
  const sorted = new Set<PackedPackage>();
  const add = (each: PackedPackage, above: readonly PackedPackage[]): void => {
    // Packages that work together are peers of each other.
    if (sorted.has(each) || above.includes(each)) return;
    const needed = { ...each.manifest.peerDependencies, ...each.manifest.dependencies };
    for (const other of packages) if (other.manifest.name in needed) add(other, above.concat(each));
    sorted.add(each);
  };
  for (const each of packages) add(each, []);
  return [...sorted];
}

function readPackages(from: string): PackedPackage[] {
  return globSync(join(from, "*.tgz"))
    .sort()
    .map((file) => ({ file, manifest: JSON.parse(readFromTarball(file)) }));
}

function readFromTarball(file: string): string {
  return execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" });
}

/** Packs an empty version of each package: npm trusts a workflow only with a package that exists. */
function packNames(to: string): void {
  const { license, repository, homepage } = JSON.parse(readFileSync("package.json", "utf8"));
  mkdirSync(to, { recursive: true });
  for (const file of globSync([
    "{contracts,ignition,tasks,signer}/package.json",
    "packages/*/package.json",
  ])) {
    const { name }: Manifest = JSON.parse(readFileSync(file, "utf8"));
    const staging = mkdtempSync(join(tmpdir(), "hardhat-identity-name-"));
    const manifest = {
      name,
      version: "0.0.0",
      description: "Not released yet.",
      license,
      repository,
      homepage,
    };
    writeFileSync(join(staging, "package.json"), JSON.stringify(manifest, undefined, 2));
    writeFileSync(join(staging, "README.md"), `# ${name}\n\nNot released yet: see ${homepage}\n`);
    execFileSync("npm", ["pack", "--loglevel=error", "--pack-destination", to], { cwd: staging });
    rmSync(staging, { recursive: true });
    console.log(name);
  }
}

function isPublished({ name }: Manifest): boolean {
  try {
    return runNpm("view", `${name}@${version}`, "version", "--json") !== "";
  } catch (error) {
    // npm fails for a package that it does not know, and where the registry does not answer.
    if (/"code": "E404"/.test(Object(error).stdout)) return false;
    throw error;
  }
}

function runNpm(...args: string[]): string {
  return execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

function runCommand(command: string, ...args: string[]): void {
  console.log(`$ ${[command === process.execPath ? "node" : command, ...args].join(" ")}`);
  execFileSync(command, args, { stdio: "inherit" });
}
