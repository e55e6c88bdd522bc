import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildBundles } from "../../web/server/bundles.ts";

/** Compiles the rooms to a folder, laid out as they are. */
export function compile(folder: string): void {
  const compiler = "node_modules/typescript/bin/tsc";
  const args = [compiler, "-p", "tsconfig.build.json", "--outDir", folder];
  execFileSync(process.execPath, args, { stdio: "inherit" });
  // The compiler leaves the endings of dynamic imports, and of those in declarations, as they are.
  for (const name of globSync("**/*.{js,d.ts}", { cwd: folder })) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/((?:from |import |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
  }
}

/** `hardhat-identity`: every room, the pages as they are served, what `identity init` writes, and what operators run it with. */
export async function stagePlugin(compiled: string, folder: string): Promise<void> {
  cpSync(compiled, join(folder, "dist"), { recursive: true });
  await buildBundles(join(folder, "dist/web"));
  cpSync("examples/init", join(folder, "dist/examples/init"), { recursive: true });
  cpSync("deploy", join(folder, "deploy"), { recursive: true });
  // What the pages' scripts have of others in them.
  cpSync("node_modules/@noble/hashes/LICENSE", join(folder, "licenses/noble-hashes.txt"));
  cpSync("node_modules/preact/LICENSE", join(folder, "licenses/preact.txt"));
}
