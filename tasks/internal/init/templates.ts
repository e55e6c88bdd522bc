import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Kind } from "./kinds.ts";
import type { Repository } from "./packageManager.ts";

/** A file of a project. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
  /** Whether one that is there already stays as it is, whatever it says. */
  readonly keep?: true;
}

/** Where a project keeps what is added to it. */
export interface ProjectFolders {
  readonly root: string;
  readonly contracts: string;
  readonly tests: string;
  readonly ignition: string;
}

/** What the tests of a project are written with. */
export type Toolbox = "ethers" | "viem";

const templates = new URL("../../../examples/init/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, templates), "utf8");

/**
 * The files of a new consumer.
 *
 * @param name The contract's name.
 */
export function writeFiles(
  kind: Kind,
  name: string,
  toolbox: Toolbox,
  folders: ProjectFolders,
  repository: Repository,
): ProjectFile[] {
  const rename = (text: string) => text.replaceAll("Airdrop", name);
  return [
    { path: join(folders.contracts, `${name}.sol`), text: writeContract(kind, name) },
    { path: join(folders.tests, `${name}.ts`), text: rename(writeTest(kind, toolbox)) },
    {
      path: join(folders.ignition, "modules", `${name}.ts`),
      text: rename(read("ignition/modules/Airdrop.ts")),
    },
    // One is enough for every consumer, and is added to.
    { ...writeWorkflow(folders.root, repository), keep: true },
  ];
}

function writeContract({ contract }: Kind, name: string): string {
  return read(`contracts/${contract}.sol`).replaceAll(new RegExp(`\\b${contract}\\b`, "g"), name);
}

/** The tests are written for the claim; the other entry points differ in what goes before and beside the verification. */
function writeTest({ entryPoint, argument, payable }: Kind, toolbox: Toolbox): string {
  const test = read(`test/${toolbox}.ts`);
  if (toolbox === "ethers") {
    const first = argument === undefined ? "" : `${argument}, `;
    const last = payable ? ", { value: 1n }" : "";
    return test.replaceAll(/\.claim\((\.\.\.\w+\.args)\)/g, `.${entryPoint}(${first}$1${last})`);
  }
  const args = argument === undefined ? "$1" : `[${argument}, ...$1]`;
  const value = payable ? ", value: 1n" : "";
  return test.replaceAll(
    /\.claim\((\w+\.args), \{ (account: \w+\.account) \}\)/g,
    `.${entryPoint}(${args}, { $2${value} })`,
  );
}

/** GitHub looks for it at the repository's root alone; there, each project has a file of its own. */
function writeWorkflow(project: string, { root, locked, packageManager }: Repository): ProjectFile {
  const fromRoot = (folder: string) => relative(root, folder).replaceAll(sep, "/");
  const folder = fromRoot(project);
  const { install, execute } = packageManager;
  const workflow = read("workflow.yml").replaceAll("npx", execute);
  const file = (name: string, text: string) => ({ path: join(root, ".github/workflows", name), text });
  if (folder === "") return file("identity.yml", workflow.replace("npm ci", install));
  const place = (from: string) => `working-directory: ${JSON.stringify(from)}`;
  const installing = locked === project ? install : `${install}\n        ${place(fromRoot(locked) || ".")}`;
  const text = workflow
    .replace("name: Identity", `name: ${JSON.stringify(`Identity (${folder})`)}`)
    .replace("    steps:", () => `    defaults:\n      run:\n        ${place(folder)}\n    steps:`)
    .replace("npm ci", () => installing);
  return file(`identity-${folder.replaceAll("/", "-")}.yml`, text);
}
