import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { decodeFile } from "@hardhat-identity/protocol/decodeFile";
import { membersOf } from "@hardhat-identity/protocol/json";

/** A project's package manager and its commands. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
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
  /** Folder up to which packages are installed: that of the workspace, where the repository is a submodule of one. */
  readonly top: string;
  /** Folder with the lock file, or else the project's. */
  readonly locked: string;
  /** The version of Node that a file names, or that file; `undefined` if none does. */
  readonly node: NamedNode | undefined;
  readonly packageManager: PackageManager;
}

const lockFiles = {
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
} as const;
const add = {
  npm: ["npm", "install", "--save-dev"],
  pnpm: ["pnpm", "add", "--save-dev"],
  yarn: ["yarn", "add", "--dev"],
  bun: ["bun", "add", "--dev"],
};
const execute = { npm: "npx", pnpm: "pnpm", yarn: "yarn", bun: "bunx" };

/** Searches a project's folder and those above it for its repository and its lock file. */
export function findRepository(project: string): Repository {
  const above = foldersFrom(project);
  const workspace = above.find(isWorkspace);
  const home = process.env.HOME ?? process.env.USERPROFILE;
  // A home folder that is a repository has its owner's settings, and no projects.
  const mayBeRoot = (folder: string) => folder === project || folder !== home;
  const root =
    above.find((folder) => mayBeRoot(folder) && existsSync(join(folder, ".git"))) ?? workspace ?? project;
  // Git has a file there in a submodule, and in a worktree.
  const isSubmodule = statSync(join(root, ".git"), { throwIfNoEntry: false })?.isFile() === true;
  const top = isSubmodule && workspace !== undefined && root.startsWith(workspace) ? workspace : root;
  const inside = above.slice(0, above.indexOf(root) + 1);
  const named = inside.map((folder) => readNamed(readManifest(folder))).find(Boolean);
  const locked = inside.find((folder) => findLockFile(folder, named) !== undefined) ?? project;
  const lockFile = findLockFile(locked, named);
  const name = lockFile
    ? lockFiles[lockFile]
    : (named ?? readName(process.env.npm_config_user_agent) ?? "npm");
  const install = writeInstall(name, lockFile && join(locked, lockFile));
  // pnpm and Yarn 1 add nothing to a workspace's root unless that is meant.
  const isStrict = name === "pnpm" || (lockFile === "yarn.lock" && isClassic(join(locked, lockFile)));
  const meant = isStrict && workspace === project ? ["--ignore-workspace-root-check"] : [];
  const node = inside.map(findNode).find((found) => found !== undefined);
  return {
    root,
    top,
    locked,
    node,
    packageManager: { name, add: add[name].concat(meant), execute: execute[name], install },
  };
}

function foldersFrom(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersFrom(parent)];
}

/** Finds a folder's lock file; of several, that of the package manager that the project names. */
function findLockFile(folder: string, named: string | undefined) {
  const found = (Object.keys(lockFiles) as (keyof typeof lockFiles)[]).filter((file) =>
    existsSync(join(folder, file)),
  );
  return found.find((file) => lockFiles[file] === named) ?? found[0];
}

/** As actions/setup-node takes it: a version, or a file that has one. */
type NamedNode = { readonly version: string } | { readonly file: string };

/** Fields of a package.json. */
interface Manifest {
  readonly packageManager?: unknown;
  readonly workspaces?: unknown;
  readonly volta?: unknown;
  readonly devEngines?: unknown;
  readonly engines?: unknown;
}

/** Folders above the project may be anybody's: what is not JSON there says nothing. npm reads a byte order mark, too. */
function readManifest(folder: string): Manifest {
  try {
    return membersOf(JSON.parse(decodeFile(readFileSync(join(folder, "package.json")))));
  } catch {
    return {};
  }
}

const isWorkspace = (folder: string) =>
  existsSync(join(folder, "pnpm-workspace.yaml")) || readManifest(folder).workspaces !== undefined;

const ofNode = /^\s*(v?\d[\d.]*|lts\/[\w*-]+|latest|node)\s*$/m;

/** The files that name a version of Node, of nvm, of other managers, and of asdf or mise; and where they do. */
const versionFiles = [
  [".nvmrc", ofNode],
  [".node-version", ofNode],
  [".tool-versions", /^node(?:js)?[ \t]+(v?\d[\d.]*)[ \t\r]*$/m],
] as const;

/** Finds the version of Node that a folder's files name. */
function findNode(folder: string): NamedNode | undefined {
  for (const [name, pattern] of versionFiles) {
    const file = join(folder, name);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const version = pattern.exec(text.replaceAll(/#.*/g, ""))?.[1];
    // actions/setup-node may take a comment for the version.
    if (version !== undefined) return text.includes("#") ? { version } : { file };
  }
  const { volta, devEngines, engines } = readManifest(folder);
  const runtimes = [membersOf(devEngines).runtime].flat();
  const names =
    membersOf(volta).node ??
    runtimes.find((each) => membersOf(each).name === "node") ??
    membersOf(engines).node;
  return names === undefined ? undefined : { file: join(folder, "package.json") };
}

type Name = PackageManager["name"];

/** Reads the package manager that a package.json names: in `packageManager`, or in `devEngines`. */
function readNamed({ packageManager, devEngines }: Manifest): Name | undefined {
  const [named] = [membersOf(devEngines).packageManager].flat();
  return readName(packageManager) ?? readName(`${membersOf(named).name}@`);
}

/** Reads the name at the start of `pnpm@11.28.11+sha512.…` or `pnpm/11.28.11 npm/? node/…`. */
const readName = (text: unknown) => /^(npm|pnpm|yarn|bun)[@/]/.exec(String(text))?.[1] as Name | undefined;

/** Corepack takes the version of pnpm or Yarn that a package.json names. Node 25 and later come without it. */
function writeInstall(name: Name, lockFile: string | undefined): string {
  if (name === "npm") return lockFile ? "npm ci" : "npm install";
  const frozen = name === "yarn" && !isClassic(lockFile) ? "--immutable" : "--frozen-lockfile";
  const manager =
    name === "bun" ? "npm install --global bun" : "npm install --global corepack && corepack enable";
  return `${manager} && ${name} install${lockFile ? ` ${frozen}` : ""}`;
}

/** Returns whether it is the lock file of Yarn 1, which has no metadata. */
const isClassic = (lockFile = "") =>
  existsSync(lockFile) && !/^__metadata:/m.test(readFileSync(lockFile, "utf8"));

/** Whether a package is installed in a project, or in a folder above it up to a top. */
// Not `require.resolve`: pnpm sets NODE_PATH, with which it finds packages that an import does not.
export function isInstalled(name: string, project: string, top: string): boolean {
  if (existsSync(join(project, "node_modules", name, "package.json"))) return true;
  return project !== top && isInstalled(name, dirname(project), top);
}
