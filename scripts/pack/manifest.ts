import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

/** The fields that all packages share, from the repository's package.json. */
const { license, homepage, repository, bugs } = readJson("package.json");

/** Lists the folders of the packages that are published. */
export const listPackages = (): string[] =>
  globSync(["{contracts,ignition,tasks,signer}/package.json", "packages/*/package.json"]).map(dirname).sort();

const isOurs = (name: string) => /^(@hardhat-identity\/|hardhat-identity$|identity-signer$)/.test(name);

/**
 * Writes a package's manifest, completed with the shared fields.
 *
 * @param isReleased Whether the registry has the packages. Before, pnpm, Yarn and Bun would ask it for a dependency, also
 * if its file is installed beside it, so the packages are peers of each other.
 */
export function writeManifest(source: string, folder: string, isReleased: boolean): void {
  // What is compiled into a page is in it.
  const { name, version, devDependencies: _, ...own } = readJson(join(source, "package.json"));
  const common = { license, homepage, repository: { ...repository, directory: source }, bugs };
  const manifest = { name, version, ...common, ...own };
  if (!isReleased) {
    const entries = Object.entries<string>(own.dependencies ?? {});
    manifest.dependencies = Object.fromEntries(entries.filter(([other]) => !isOurs(other)));
    const peers = Object.fromEntries(entries.filter(([other]) => isOurs(other)));
    manifest.peerDependencies = { ...own.peerDependencies, ...peers };
  }
  // The sources are TypeScript, and what is installed is not.
  const text = JSON.stringify(manifest, undefined, 2).replaceAll(/("\.\/[^"]*)\.tsx?"(?=,?$)/gm, '$1.js"');
  writeFileSync(join(folder, "package.json"), `${text}\n`);
}
