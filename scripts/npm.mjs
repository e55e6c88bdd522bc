// How to run npm and Node, and what npm has installed. Plain JavaScript without dependencies, as run.mjs, which uses it.
import { existsSync, readFileSync } from "node:fs";
import { posix, win32 } from "node:path";

/**
 * Composes the command that runs npm, without a shell: Windows runs `npm.cmd` only through one, which splits arguments
 * at spaces. There, npm is a script that Node runs.
 *
 * @param {readonly string[]} args
 * @param {{ platform: string, execPath: string, env: Record<string, string | undefined>, exists: (file: string) => boolean }} machine
 * @returns {string[]} The program and its arguments.
 */
export function npmCommand(args, machine = thisMachine) {
  const { platform, execPath } = machine;
  return platform === "win32" ? [execPath, findNpm(machine), ...args] : ["npm", ...args];
}

/**
 * Composes the command that runs npm with another version of Node, which npm fetches first.
 *
 * @param {string} version
 * @param {readonly string[]} args Without spaces.
 */
export function npmCommandWithNode(version, args, machine = thisMachine) {
  // npm.cmd would take the Node beside it, which is the old one.
  const npm = machine.platform === "win32" ? `node "${findNpm(machine)}"` : "npm";
  const options = ["--yes", "--ignore-scripts=false", "--workspaces=false", "--package", `node@${version}`];
  return npmCommand(["exec", ...options, "--call", [npm, ...args].join(" ")], machine);
}

/** Finds the script of npm on Windows: that of the npm that runs this, or else the one that is installed with Node. */
function findNpm({ execPath, env, exists }) {
  const { dirname, join } = win32;
  const script = "node_modules\\npm\\bin\\npm-cli.js";
  const folders = [dirname(execPath), ...(env.Path ?? env.PATH ?? "").split(";").filter(Boolean)];
  const named = /[\\/]npm-cli\.js$/.test(env.npm_execpath ?? "") ? [env.npm_execpath] : [];
  const found = [...named, ...folders.map((folder) => join(folder, script))].find(exists);
  if (found === undefined)
    throw new Error("npm was not found: install Node with npm, from https://nodejs.org");
  return found;
}

/**
 * Returns the program of a command. Windows finds `node.exe` in PATH, and not the pinned Node of node_modules/.bin, which
 * is a script of the shell.
 *
 * @param {string} command
 */
export function programOf(command, { platform, exists } = thisMachine) {
  const pinned = win32.resolve("node_modules/node/bin/node.exe");
  return platform === "win32" && command === "node" && exists(pinned) ? pinned : command;
}

/**
 * Whether npm has installed the versions of package-lock.json, by the record that npm keeps in node_modules. That record
 * leaves out packages for other platforms.
 *
 * @param {string} folder
 */
export function isInstalled(folder = ".", { platform, arch } = process) {
  const read = (file) => JSON.parse(readFileSync(posix.join(folder, file), "utf8")).packages ?? {};
  const note = "node_modules/.package-lock.json";
  // Its scripts may have been left out.
  const node = platform === "win32" ? "node.exe" : "node";
  if (![note, `node_modules/node/bin/${node}`].every((file) => existsSync(posix.join(folder, file))))
    return false;
  const installed = read(note);
  const admits = (list, name) => list === undefined || list.includes(name) || list.includes("any");
  return Object.entries(read("package-lock.json")).every(
    ([path, { version, integrity, link, os, cpu, optional }]) => {
      if (!path.startsWith("node_modules/") || link) return true;
      const own = installed[path];
      if (own !== undefined) return own.version === version && own.integrity === integrity;
      // Which C library a package is for, only npm knows.
      return (
        optional === true &&
        !(admits(os, platform) && admits(cpu, arch) && os !== undefined && !/musl/.test(path))
      );
    },
  );
}

const thisMachine = {
  platform: process.platform,
  execPath: process.execPath,
  env: process.env,
  exists: existsSync,
};
