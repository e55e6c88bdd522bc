import { cpSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Copies the declarations that a compiled room's entry reaches. */
export function copyDeclarations(compiled: string, entry: string, folder: string): void {
  const reached = new Set([join(compiled, entry)]);
  // Iterating over a set includes the elements that are added meanwhile.
  for (const file of reached) {
    cpSync(file, join(folder, relative(compiled, file)));
    for (const [, imported = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      reached.add(join(dirname(file), imported.replace(/\.js$/, ".d.ts")));
    }
  }
}
