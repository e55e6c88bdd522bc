import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Copies the declarations that a compiled room's entry reaches. */
export function copyDeclarations(compiled: string, entry: string, folder: string): void {
  const reached = new Set([join(compiled, entry)]);
  // Iterating over a set includes the elements that are added meanwhile.
  for (const file of reached) {
    // The package has the declarations of the protocol in itself.
    const protocol = relative(dirname(file), join(compiled, "packages/protocol")).replaceAll("\\", "/");
    const text = readFileSync(file, "utf8").replaceAll(
      /"@hardhat-identity\/protocol\/([^"]+)"/g,
      `"${protocol}/$1.js"`,
    );
    const copy = join(folder, relative(compiled, file));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
    for (const [, imported = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      reached.add(join(dirname(file), imported.replace(/\.js$/, ".d.ts")));
    }
  }
}
