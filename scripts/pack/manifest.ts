import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The fields that all packages share, from the repository's package.json. */
const { version, license, homepage, repository, bugs } = JSON.parse(readFileSync("package.json", "utf8"));

/** Writes a package's manifest from `packages/`, completed with the shared fields. */
export function writeManifest(name: string, folder: string): void {
  const own = readFileSync(join("packages", name, "package.json"), "utf8").replaceAll(
    "workspace:^",
    `^${version}`,
  );
  const common = { license, homepage, repository: { ...repository, directory: `packages/${name}` }, bugs };
  const { name: fullName, ...rest } = JSON.parse(own);
  const manifest = { name: fullName, version, ...common, ...rest };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
