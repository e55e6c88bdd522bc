import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/** What installs a project's packages, and in which words. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn";
  /** Adds packages for development, as words of a command line. */
  readonly add: readonly string[];
  /** What stands before the name of a program that a package brings. */
  readonly execute: string;
  /** Brings, on another machine, what is locked. */
  readonly install: string;
}

/** A project's place in a repository. */
export interface Repository {
  /** Folder with `.git`; without one that of the workspace, or the project. */
  readonly root: string;
  /** Folder with the lock file; without one that of the project. */
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

/** Looks upwards from a project for its repository and its lock file. */
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

/** The beginning of `pnpm@11.28.11+sha512.…` or `pnpm/11.28.11 npm/? node/…`. */
function readVersion(text: string | undefined): Version | undefined {
  const [, name = "", version = ""] = /^(npm|pnpm|yarn)[@/](\d+\.\d+\.\d+)/.exec(text ?? "") ?? [];
  return name === "" ? undefined : { name: name as Version["name"], version };
}

const readPackageManager = (folder: string) => readVersion(readManifest(folder).packageManager);

/** A package manager tells what it starts. */
const readUserAgent = () => readVersion(process.env.npm_config_user_agent);

/** @param isNamed Whether a package.json says which version it is: Corepack takes that one. */
function writeInstall(name: PackageManager["name"], isNamed: boolean, lockFile: string | undefined): string {
  if (name === "npm") return lockFile ? "npm ci" : "npm install";
  const frozen = isClassic(name, lockFile) || name === "pnpm" ? "--frozen-lockfile" : "--immutable";
  const install = lockFile ? `${name} install ${frozen}` : `${name} install`;
  return `${isNamed ? "corepack enable" : writePinned(name)} && ${install}`;
}

/** Yarn 1, whose lock file has no metadata. */
const isClassic = (name: PackageManager["name"], lockFile: string | undefined) =>
  name === "yarn" && lockFile !== undefined && !/^__metadata:/m.test(readFileSync(lockFile, "utf8"));

function writePinned(name: "pnpm" | "yarn"): string {
  const version = askVersion(name);
  // npm's package `yarn` ends with Yarn 1.
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
