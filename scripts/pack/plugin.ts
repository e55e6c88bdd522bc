import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildBundles } from "../../packages/verify-page/bundle.ts";

/** Compiles the rooms to a folder, in the same layout. */
export function compile(folder: string): void {
  const compiler = "node_modules/typescript/bin/tsc";
  const args = [compiler, "-p", "tsconfig.build.json", "--outDir", folder];
  execFileSync(process.execPath, args, { stdio: "inherit" });
  // The compiler does not rewrite the extensions of dynamic imports and of imports in declarations.
  for (const name of globSync("**/*.{js,d.ts}", { cwd: folder })) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/((?:from |import |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
  }
}

/**
 * Stages `hardhat-identity`: every room, the bundled pages, the templates of `identity init`, and files for operators.
 */
export async function stagePlugin(compiled: string, folder: string): Promise<void> {
  const isOurs = (path: string) => path !== join(compiled, "pkcs11");
  cpSync(compiled, join(folder, "dist"), { recursive: true, filter: isOurs });
  await buildBundles(join(folder, "dist/web/pages"));
  cpSync("tasks/templates", join(folder, "dist/examples/init"), { recursive: true });
  cpSync("deploy", join(folder, "deploy"), { recursive: true });
  // The licenses of the libraries in the pages' scripts.
  cpSync("node_modules/@noble/hashes/LICENSE", join(folder, "licenses/noble-hashes.txt"));
  cpSync("node_modules/preact/LICENSE", join(folder, "licenses/preact.txt"));
}
