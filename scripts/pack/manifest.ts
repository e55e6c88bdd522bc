import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

/** The fields that all packages share, from the repository's package.json. */
const { license, homepage, repository, bugs } = readJson("package.json");

const isOurs = (name: string) => /^(@hardhat-identity\/|hardhat-identity$|identity-signer$)/.test(name);

/**
 * Lists the folders of packages.
 *
 * @param names The packages, with which those come that they need; all where it is empty.
 * @throws Error that names a package that there is not.
 */
export function listPackages(names: readonly string[]): string[] {
  const files = globSync(["{contracts,ignition,tasks,signer}/package.json", "packages/*/package.json"]);
  const folders = new Map(files.map((file) => [String(readJson(file).name), dirname(file)]));
  const unknown = names.find((name) => !folders.has(name));
  if (unknown !== undefined) {
    throw new Error(`There is no package ${unknown}; there are ${[...folders.keys()].sort().join(", ")}.`);
  }
  const wanted = new Set(names.length === 0 ? folders.keys() : names);
  // Iterating over a set includes the elements that are added meanwhile.
  for (const name of wanted) {
    const {
      dependencies,
      peerDependencies,
      peerDependenciesMeta = {},
    } = readJson(join(folders.get(name) ?? "", "package.json"));
    for (const other of Object.keys({ ...dependencies, ...peerDependencies })) {
      if (isOurs(other) && !(other in peerDependenciesMeta)) wanted.add(other);
    }
  }
  return [...wanted].map((name) => folders.get(name) ?? "").sort();
}

/**
 * Writes a package's manifest, completed with the shared fields.
 *
 * @param isReleased Whether the registry has the packages. Before, pnpm, Yarn and Bun would ask it for a dependency, also
 * if its file is installed beside it, so the packages are peers of each other.
 */
export function writeManifest(source: string, folder: string, isReleased: boolean): void {
  // A page's script contains the packages that it is compiled from.
  const { name, version, devDependencies: _, ...own } = readJson(join(source, "package.json"));
  const common = { license, homepage, repository: { ...repository, directory: source }, bugs };
  const manifest = { name, version, ...common, ...own };
  // Sources that another package's page is compiled from.
  for (const entry of Object.keys(manifest.exports ?? {})) {
    if (entry.startsWith("./shared/")) delete manifest.exports[entry];
  }
  if (!isReleased) {
    const entries = Object.entries<string>(own.dependencies ?? {});
    manifest.dependencies = Object.fromEntries(entries.filter(([other]) => !isOurs(other)));
    const peers = Object.fromEntries(entries.filter(([other]) => isOurs(other)));
    manifest.peerDependencies = { ...own.peerDependencies, ...peers };
  }
  // The sources are TypeScript, and what is installed is not.
  const text = JSON.stringify(manifest, undefined, 2).replaceAll(
    /("\.\/[^"]*)(?<!\.d)\.ts"(?=,?$)/gm,
    '$1.js"',
  );
  writeFileSync(join(folder, "package.json"), `${text}\n`);
}
