import { existsSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { addPace, type Pace } from "./pace.ts";
import { isInstalled, type Repository } from "./packageManager.ts";

/** A kind of consumer, and its template. */
export interface Kind {
  /** Name of the template's contract, and the default name of the new one. */
  readonly contract: string;
  /** The entry point that takes a verification. */
  readonly entryPoint: string;
  /** The arguments before the verification, as a test writes them. */
  readonly argument?: string;
  /** Whether the entry point takes ether. */
  readonly payable?: true;
  /** How often a person may claim, in Solidity, if not once. */
  readonly rounds?: string;
}

/** The kinds of consumers. Each has a template in `tasks/templates/contracts/`. */
export const kinds: Readonly<Record<string, Kind>> = {
  claim: { contract: "Airdrop", entryPoint: "claim" },
  mint: { contract: "Pass", entryPoint: "mint" },
  deposit: { contract: "Vault", entryPoint: "deposit", payable: true },
  vote: { contract: "Poll", entryPoint: "vote", argument: "0n, true", rounds: "deployed.PROPOSALS()" },
};

/** A file to write into a project. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
  /** Another text, with which an existing file of this path is kept. */
  readonly former?: string;
  /** Whether to keep an existing file of this path with any content. */
  readonly keep?: true;
}

/** The folders of a project to add files to. */
export interface ProjectFolders {
  readonly root: string;
  /** All folders with contracts. A new one goes to the first. */
  readonly sources: readonly string[];
  readonly tests: string;
  /** The folder of tests in Solidity; `undefined` if the project's compiler cannot compile them. */
  readonly solidityTests?: string | undefined;
  readonly ignition: string;
}

/** The library that a project's tests use. */
export type Toolbox = "ethers" | "viem";

const templates = new URL("../../templates/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, templates), "utf8");

/**
 * Composes the files of a new consumer.
 *
 * @param input.name Name of the contract.
 */
export function composeFiles(input: {
  kind: Kind;
  name: string;
  pace: Pace | undefined;
  toolbox: Toolbox;
  folders: ProjectFolders;
  repository: Repository;
}): ProjectFile[] {
  const { kind, name, pace, toolbox, folders, repository } = input;
  const rename = (text: string) => text.replaceAll("Airdrop", name);
  const [contracts = join(folders.root, "contracts")] = folders.sources;
  const hasAttack = isInstalled(attackPackage, folders.root, repository.top);
  return [
    { path: join(contracts, `${name}.sol`), text: composeContract(kind, name, pace) },
    {
      path: join(folders.tests, `${name}.ts`),
      text: rename(composeTest(kind, toolbox, hasAttack)),
      // From before a package was added or removed.
      former: rename(composeTest(kind, toolbox, !hasAttack)),
    },
    ...(folders.solidityTests === undefined
      ? []
      : [composeSolidityTest(kind, name, contracts, folders.solidityTests)]),
    {
      path: join(folders.ignition, "modules", `${name}.ts`),
      text: rename(read("ignition/modules/Airdrop.ts")),
    },
    // A project needs only one workflow, and its developers edit it.
    { ...composeWorkflow(folders.root, repository), keep: true },
  ];
}

function composeContract({ contract }: Kind, name: string, pace: Pace | undefined): string {
  const text = read(`contracts/${contract}.sol`).replaceAll(new RegExp(`\\b${contract}\\b`, "g"), name);
  return pace === undefined ? text : addPace(text, pace);
}

/**
 * Composes the test from the one for the claim. The other entry points take an argument before the verification, or
 * ether.
 */
function composeTest({ entryPoint, argument, payable }: Kind, toolbox: Toolbox, hasAttack: boolean): string {
  const whole = read(`test/${toolbox}.ts`);
  const attack = /\n {2}(void )?it\("holds against[\s\S]*?\n {2}\}\)[^\n]*\n/;
  const test = hasAttack
    ? whole
    : whole.replace(attack, "").replace('import assert from "node:assert/strict";\n', "");
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

/** Composes the test in Solidity, which inherits what every consumer must refuse. */
function composeSolidityTest(kind: Kind, name: string, contracts: string, tests: string): ProjectFile {
  const { entryPoint, argument, payable, rounds } = kind;
  const first = argument === undefined ? "" : `${argument.replace("0n", "0")}, `;
  const value = payable ? "{value: 1}" : "";
  const source = relative(tests, join(contracts, `${name}.sol`)).replaceAll(sep, "/");
  const overridden = `    function rounds() internal view override returns (uint256) {
        return ${rounds};
    }

`;
  const text = read("test/Airdrop.t.sol")
    .replaceAll("Airdrop", name)
    .replace(`"../contracts/${name}.sol"`, () =>
      JSON.stringify(source.startsWith(".") ? source : `./${source}`),
    )
    .replace(".claim(", `.${entryPoint}${value}(${first}`)
    .replace("    function claim(", (start) => (rounds === undefined ? start : overridden + start));
  return { path: join(tests, `${name}.t.sol`), text };
}

/** The package of the task `identity attack`, which a project can do without. */
export const attackPackage = "@hardhat-identity/attack";

/** Reads the branch that others merge into: the origin's, or else the repository's own, if it has a usual name. */
function readBranch(root: string): string {
  for (const file of [".git/refs/remotes/origin/HEAD", ".git/HEAD"]) {
    const head = join(root, file);
    const text = existsSync(head) ? readFileSync(head, "utf8") : "";
    const [, name] = /^ref: refs\/(?:remotes\/origin|heads)\/(main|master|develop|trunk)$/m.exec(text) ?? [];
    if (name !== undefined) return name;
  }
  return "main";
}

/**
 * Composes the workflow. GitHub only looks for workflows at the repository's root, where each project has its own file.
 */
function composeWorkflow(project: string, repository: Repository): ProjectFile {
  const { root, locked, node, packageManager } = repository;
  const fromRoot = (folder: string) => relative(root, folder).replaceAll(sep, "/");
  const folder = fromRoot(project);
  const { install, execute } = packageManager;
  const hasSubmodules = existsSync(join(root, ".gitmodules"));
  const workflow = read("workflow.yml")
    .replaceAll("npx", execute)
    .replace("[main]", `[${readBranch(root)}]`)
    .replace(/node-version: .*/, (line) => {
      if (node === undefined) return line;
      return "version" in node
        ? `node-version: ${JSON.stringify(node.version)}`
        : `node-version-file: ${JSON.stringify(fromRoot(node.file))}`;
    })
    .replace(/( *)persist-credentials: .*/, (line, indent: string) =>
      hasSubmodules ? `${line}\n${indent}submodules: recursive` : line,
    );
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
