import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { kinds } from "./kinds.ts";
import { findMissing } from "./missingPackages.ts";
import { findRepository } from "./packageManager.ts";
import { type ProjectFile, type ProjectFolders, type Toolbox, writeFiles } from "./templates.ts";

/** What to add, and to which project. */
export interface AddConsumerOptions {
  /** One of {@link kinds}. */
  readonly kind: string;
  /** The contract's name; by default the kind's. */
  readonly name: string | undefined;
  readonly toolbox: Toolbox;
  readonly folders: ProjectFolders;
  /** Whether files that are there may be replaced; asked only where there are any, with their paths. */
  readonly mayReplace: (paths: readonly string[]) => Promise<boolean>;
  /** Runs the command that adds the packages that the files import and the project lacks; without it, they are named. */
  readonly install?: (command: readonly string[]) => void;
}

/** What was done to a project; paths from its root, to the workflow perhaps upwards. */
export interface AddedConsumer {
  readonly contract: string;
  readonly written: readonly string[];
  /** What was there already, and stayed as it was: as it would have been written, or a workflow. */
  readonly unchanged: readonly string[];
}

/**
 * Adds a consumer, its test, its deployment module and a workflow to a project: all of it, or nothing.
 *
 * @throws InvalidInputError when the kind or the name cannot be used, or files are in the way.
 */
export async function addConsumer(options: AddConsumerOptions): Promise<AddedConsumer> {
  const { toolbox, folders, mayReplace, install } = options;
  const kind = kinds[options.kind];
  if (kind === undefined) {
    throw new InvalidInputError(
      `--kind must be one of ${Object.keys(kinds).join(", ")}, got ${JSON.stringify(options.kind)}.`,
    );
  }
  const name = options.name ?? kind.contract;
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) {
    throw new InvalidInputError(
      `--name must be a contract's name, such as ${kind.contract}, got ${JSON.stringify(name)}.`,
    );
  }
  const repository = findRepository(folders.root);
  const files = writeFiles(kind, name, toolbox, folders, repository);
  refuseName(name, kind.contract, writeFiles(kind, kind.contract, toolbox, folders, repository));
  refuseSecondContract(name, folders);
  const lacking = findMissing(files, folders.root, repository.root);
  const addLacking = [...repository.packageManager.add, ...lacking];
  if (lacking.length > 0 && install === undefined) {
    throw new InvalidInputError(
      `Nothing was written, for the files import what is not installed in this project: ${lacking.join(", ")}. Run ` +
        `this, or say --install: ${addLacking.join(" ")}`,
    );
  }
  const fromRoot = ({ path }: ProjectFile) => relative(folders.root, path);
  const unchanged = files.filter(
    ({ path, text, keep }) => existsSync(path) && (keep || readFileSync(path, "utf8") === text),
  );
  const missing = files.filter((file) => !unchanged.includes(file));
  const inTheWay = missing.filter(({ path }) => existsSync(path)).map(fromRoot);
  if (inTheWay.length > 0 && !(await mayReplace(inTheWay))) {
    throw new InvalidInputError(
      `Nothing was written, for these files are there already: ${inTheWay.join(", ")}. Choose another --name, or say ` +
        "--overwrite to replace them.",
    );
  }
  if (lacking.length > 0) install?.(addLacking);
  for (const { path, text } of missing) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { contract: name, written: missing.map(fromRoot), unchanged: unchanged.map(fromRoot) };
}

/** A name that the files use for something else, such as `VerifyOnce`, would mean both. */
function refuseName(name: string, usual: string, files: readonly ProjectFile[]): void {
  const word = new RegExp(`\\b${name}\\b`);
  if (name !== usual && files.some(({ text }) => word.test(text))) {
    throw new InvalidInputError(`--name ${name} is taken by what the contract or its test is made of.`);
  }
}

/** Two contracts of one name are not told apart by a test that deploys one by its name. */
function refuseSecondContract(name: string, { root, contracts }: ProjectFolders): void {
  const declaration = new RegExp(`^\\s*(abstract )?(contract|interface|library) ${name}\\b`, "m");
  const file = globSync("**/*.sol", { cwd: contracts })
    .map((path) => join(contracts, path))
    .find((path) => path !== join(contracts, `${name}.sol`) && declaration.test(readFileSync(path, "utf8")));
  if (file !== undefined) {
    throw new InvalidInputError(
      `Nothing was written, for ${relative(root, file)} has a contract ${name} already. Choose another --name.`,
    );
  }
}
