import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { didYouMean } from "@hardhat-identity/console/closest";
import { optional } from "@hardhat-identity/console/options";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { membersOf } from "@hardhat-identity/protocol/json";
import { readPace } from "./pace.ts";
import { findRepository, isInstalled } from "./packageManager.ts";
import { composeFiles, kinds, type ProjectFile, type ProjectFolders, type Toolbox } from "./templates.ts";

/** The consumer to add, and the project to add it to. */
export interface AddConsumerOptions {
  /** One of {@link kinds}. */
  readonly kind: string;
  /** Name of the contract; defaults to the kind's. */
  readonly name: string | undefined;
  /** Such as `100/hour`: the contract extends `VerifyPaced`. */
  readonly pace?: string | undefined;
  readonly toolbox: Toolbox;
  readonly folders: ProjectFolders;
  /** Runs the command that installs missing packages. Without it, missing packages are an error that names them. */
  readonly install?: (command: readonly string[]) => void;
}

/** The changes to a project. Paths are relative to its root; the workflow may be in a folder above it. */
export interface AddedConsumer {
  readonly contract: string;
  readonly written: readonly string[];
  /** Existing files that were kept: files with the same content, or a workflow. */
  readonly unchanged: readonly string[];
}

/**
 * Adds a consumer, its test, its deployment module and a workflow to a project: either all of them or nothing.
 *
 * @throws InvalidInputError if the kind or the name is invalid, or files are in the way.
 */
export function addConsumer(options: AddConsumerOptions): AddedConsumer {
  const { toolbox, folders, install } = options;
  const kind = Object.hasOwn(kinds, options.kind) ? kinds[options.kind] : undefined;
  if (kind === undefined) {
    throw new InvalidInputError(
      `--kind must be one of ${Object.keys(kinds).join(", ")}, got ${JSON.stringify(options.kind)}.${didYouMean(options.kind, Object.keys(kinds))}`,
    );
  }
  const name = options.name ?? kind.contract;
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) {
    throw new InvalidInputError(
      `--name must be a contract's name, such as ${kind.contract}, got ${JSON.stringify(name)}.`,
    );
  }
  const pace = optional(options.pace, readPace);
  const repository = findRepository(folders.root);
  const files = composeFiles({ kind, name, pace, toolbox, folders, repository });
  const lacking = findMissing(files, folders.root, repository.top);
  const addLacking = [...repository.packageManager.add, ...lacking];
  if (lacking.length > 0 && install === undefined) {
    throw new InvalidInputError(
      `Nothing was written: the files import packages that are not installed in this project: ${lacking.join(", ")}. ` +
        `Run this, or add --install: ${addLacking.join(" ")}`,
    );
  }
  const fromRoot = ({ path }: ProjectFile) => relative(folders.root, path);
  const unchanged = files.filter(
    ({ path, text, former, keep }) => existsSync(path) && (keep || [text, former].includes(readText(path))),
  );
  const missing = files.filter((file) => !unchanged.includes(file));
  const inTheWay = missing.filter(({ path }) => existsSync(path)).map(fromRoot);
  if (inTheWay.length > 0) {
    throw new InvalidInputError(
      `Nothing was written: these files already exist: ${inTheWay.join(", ")}. Choose another --name, or remove them.`,
    );
  }
  requireFreeName(name, files, folders);
  if (lacking.length > 0) install?.(addLacking);
  writeAll(missing);
  return { contract: name, written: missing.map(fromRoot), unchanged: unchanged.map(fromRoot) };
}

/** Reads a file with the line ends of the templates: Git may have written it with those of Windows. */
const readText = (path: string) => readFileSync(path, "utf8").replaceAll("\r\n", "\n");

/** Writes all files, or none. */
function writeAll(files: readonly ProjectFile[]): void {
  const begun: string[] = [];
  try {
    for (const { path, text } of files) {
      mkdirSync(dirname(path), { recursive: true });
      begun.push(path);
      writeFileSync(path, text);
    }
  } catch (error) {
    for (const path of begun) rmSync(path, { force: true });
    throw new InvalidInputError(`Nothing was written: ${membersOf(error).message}`);
  }
}

/** Requires a name that no other contract has: tests and modules find a contract by its name alone. */
function requireFreeName(name: string, files: readonly ProjectFile[], folders: ProjectFolders): void {
  const refuse = (reason: string) => {
    throw new InvalidInputError(`Nothing was written: ${reason}. Choose another --name.`);
  };
  // A relative import is the test's, of the new contract itself.
  const imported = new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from "(?!\\.)`, "m");
  // The registry's module has its contract's name, and Ignition takes modules of one name for the same.
  if (name === "SignerRegistry" || files.some(({ text }) => imported.test(text))) {
    refuse(`the new contract uses another ${name}`);
  }
  const declared = new RegExp(`\\b(contract|interface|library)\\s+${name}\\b`);
  const written = files.map(({ path }) => path);
  for (const source of folders.sources) {
    if (!existsSync(source)) continue;
    for (const path of listSources(source)) {
      if (written.includes(path) || !declared.test(readCode(path))) continue;
      refuse(`${relative(folders.root, path)} has a contract ${name}`);
    }
  }
}

/** Reads a Solidity file without its comments and texts, which may look like code. */
const readCode = (path: string): string =>
  readFileSync(path, "utf8").replace(/\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, " ");

/** Lists the Solidity files of a folder. One may hold packages and artifacts, too, whose folders are named like sources. */
function listSources(folder: string): string[] {
  return globSync("**/*.sol", { cwd: folder, exclude: (path) => basename(path) === "node_modules" })
    .map((file) => join(folder, file))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

/**
 * Finds the packages that files import and neither the project nor a folder above it has, up to a top. Dependencies of a
 * toolbox can be imported with npm, and cannot with pnpm. A contract may import them by the project's remappings, too.
 */
function findMissing(files: readonly ProjectFile[], project: string, top: string): string[] {
  const remapped = readRemappings(project);
  const imports = files.flatMap(({ path, text }) =>
    [...text.matchAll(/^import .* from "(?!node:|\.)([^"]+)";$/gm)]
      .map(([, name = ""]) => name)
      .filter((name) => !path.endsWith(".sol") || !remapped.some((prefix) => name.startsWith(prefix))),
  );
  const names = imports.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  return [...new Set(names)].filter((name) => !isInstalled(name, project, top));
}

/** Reads the prefixes of a project's `remappings.txt`, with lines such as `@openzeppelin/=lib/openzeppelin-contracts/`. */
function readRemappings(project: string): string[] {
  const file = join(project, "remappings.txt");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return [...text.matchAll(/^(?:[^:=\n]*:)?([^=\n]+)=/gm)].map(([, prefix = ""]) => prefix);
}
