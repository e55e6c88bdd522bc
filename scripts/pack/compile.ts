import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Compiles all packages to a folder, in the layout of this repository. */
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

/** Stages a package's compiled modules and declarations. */
export function stageCompiled(compiled: string, source: string, folder: string): void {
  cpSync(join(compiled, source), folder, { recursive: true });
}
