import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/** A project's package manager and its commands. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn";
  /** Command that adds development dependencies, as words. */
  readonly add: readonly string[];
  /** Command that runs a program of an installed package. */
  readonly execute: string;
  /** Command that installs the locked packages on another machine. */
  readonly install: string;
}

/** A project's place in a repository. */
export interface Repository {
  /** Folder with `.git`, or else the folder of the workspace or of the project. */
  readonly root: string;
  /** Folder with the lock file, or else the project's. */
  readonly locked: string;
  readonly packageManager: PackageManager;
}

const lockFiles = { "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "package-lock.json": "npm" } as const;
const add = {
  npm: ["npm", "install", "--save-dev"],
  pnpm: ["pnpm", "add", "--save-dev"],
  yarn: ["yarn", "add", "--dev"],
};
const execute = { npm: "npx", pnpm: "pnpm", yarn: "yarn" };

/** Searches a project's folder and those above it for its repository and its lock file. */
export function findRepository(project: string): Repository {
  const above = foldersFrom(project);
  const root = above.find((folder) => existsSync(join(folder, ".git"))) ?? above.find(isWorkspace) ?? project;
  const inside = above.slice(0, above.indexOf(root) + 1);
  const locked = inside.find((folder) => findLockFile(folder) !== undefined) ?? project;
  const lockFile = findLockFile(locked);
  const named = inside.map(readPackageManager).find((found) => found !== undefined);
  const name = lockFile ? lockFiles[lockFile] : (named?.name ?? readUserAgent()?.name ?? "npm");
  const install = writeInstall(name, named?.name === name, lockFile && join(locked, lockFile));
  return { root, locked, packageManager: { name, add: add[name], execute: execute[name], install } };
}

function foldersFrom(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersFrom(parent)];
}

const findLockFile = (folder: string) =>
  (Object.keys(lockFiles) as (keyof typeof lockFiles)[]).find((file) => existsSync(join(folder, file)));

const manifest = z
  .object({ packageManager: z.string().optional(), workspaces: z.unknown().optional() })
  .catch({ workspaces: undefined });

function readManifest(folder: string): z.infer<typeof manifest> {
  const file = join(folder, "package.json");
  return manifest.parse(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});
}

const isWorkspace = (folder: string) =>
  existsSync(join(folder, "pnpm-workspace.yaml")) || readManifest(folder).workspaces !== undefined;

interface Version {
  readonly name: PackageManager["name"];
  readonly version: string;
}

/** Reads the name and version at the start of `pnpm@11.28.11+sha512.…` or `pnpm/11.28.11 npm/? node/…`. */
function readVersion(text: string | undefined): Version | undefined {
  const [, name = "", version = ""] = /^(npm|pnpm|yarn)[@/](\d+\.\d+\.\d+)/.exec(text ?? "") ?? [];
  return name === "" ? undefined : { name: name as Version["name"], version };
}

const readPackageManager = (folder: string) => readVersion(readManifest(folder).packageManager);

/** Reads the version that a package manager passes to the programs that it starts. */
const readUserAgent = () => readVersion(process.env.npm_config_user_agent);

/** @param isNamed Whether a package.json names the version, so that Corepack uses it. */
function writeInstall(name: PackageManager["name"], isNamed: boolean, lockFile: string | undefined): string {
  if (name === "npm") return lockFile ? "npm ci" : "npm install";
  const frozen = isClassic(name, lockFile) || name === "pnpm" ? "--frozen-lockfile" : "--immutable";
  const install = lockFile ? `${name} install ${frozen}` : `${name} install`;
  return `${isNamed ? "corepack enable" : writePinned(name)} && ${install}`;
}

/** Returns whether it is Yarn 1, whose lock file has no metadata. */
const isClassic = (name: PackageManager["name"], lockFile: string | undefined) =>
  name === "yarn" && lockFile !== undefined && !/^__metadata:/m.test(readFileSync(lockFile, "utf8"));

function writePinned(name: "pnpm" | "yarn"): string {
  const version = askVersion(name);
  // The npm package `yarn` has no version after Yarn 1.
  const from =
    name === "yarn" && version !== undefined && !version.startsWith("1.") ? "@yarnpkg/cli-dist" : name;
  return `npm install --global ${from}${version === undefined ? "" : `@${version}`}`;
}

function askVersion(name: "pnpm" | "yarn"): string | undefined {
  const agent = readUserAgent();
  if (agent?.name === name) return agent.version;
  try {
    const output = execFileSync(name, ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return readVersion(`${name}@${output}`)?.version;
  } catch {
    return undefined;
  }
}
