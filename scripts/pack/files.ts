import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildBundle } from "../../packages/verify-page/bundle.ts";

const files = (...names: string[]) =>
  ((source, folder) => {
    for (const name of names) cpSync(join(source, name), join(folder, name), { recursive: true });
  }) satisfies Stage;

type Stage = (source: string, folder: string) => void | Promise<void>;

/** The licenses of the libraries in the scripts of pages. */
function stageLicenses(folder: string): void {
  cpSync("node_modules/@noble/hashes/LICENSE", join(folder, "licenses/noble-hashes.txt"));
  cpSync("node_modules/preact/LICENSE", join(folder, "licenses/preact.txt"));
}

const stages: Readonly<Record<string, Stage>> = {
  contracts: files("deployments.d.ts", "deployments.js", "remappings.txt"),
  ignition: files("parameters"),
  tasks: files("hardhat-2.cjs", "hardhat-2.d.cts", "templates"),
  async "packages/verify-page"(source, folder) {
    await buildBundle(resolve(source, "page"), join(folder, "page"));
    files("html/typeface")(source, folder);
    stageLicenses(folder);
  },
  async "packages/dev"(source, folder) {
    await buildBundle(resolve(source, "demo"), join(folder, "demo"));
    stageLicenses(folder);
  },
  "packages/operator": (_source, folder) => cpSync("deploy", join(folder, "deploy"), { recursive: true }),
};

/** Stages what a package has beside its modules. */
export async function stageFiles(source: string, folder: string): Promise<void> {
  await stages[source]?.(source, folder);
}
