import { existsSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Readers of the compiled contracts: Hardhat, their files, and programs that a test starts. */
const readers = /^(hardhat(\/.*)?|#artifacts\/.*|node:child_process)$/;
/** Starts only programs of others, which read no contracts. */
const postgres = "test/fixtures/signer/postgres.ts";

/** Returns whether a test file, or a file of ours that it imports, may read the compiled contracts. */
export function usesContracts(file: string): boolean {
  const seen = new Set([file]);
  for (const each of seen) {
    const text = readFileSync(each, "utf8");
    if (/\bartifacts\//.test(text)) return true;
    for (const name of readImports(text)) {
      if (name === "node:child_process" && each === postgres) continue;
      if (readers.test(name)) return true;
      if (name.startsWith("node:")) continue;
      const found = name.startsWith(".") ? join(dirname(each), name) : resolvePackage(name);
      // A file that this does not find may read anything.
      if (found === undefined || !existsSync(found)) return true;
      if (!found.includes(`${sep}node_modules${sep}`) && /\.\w?[jt]sx?$/.test(found)) seen.add(found);
    }
  }
  return false;
}

/** `import "x"`, the end of `import … from "x"` or `export … from "x"`, and `import("x")`. */
const importStatement = /^(?:import|(?:import|export|\})[^;"'=]*\bfrom)\s*["']([^"']+)["']/gm;
const importCall = /\bimport\(\s*["']([^"']+)["']/g;

/** The modules that a file imports, except for their types alone. */
function readImports(text: string): string[] {
  const code = text.replaceAll(/^(import|export) type [^;]*;/gm, "");
  return [...code.matchAll(importStatement), ...code.matchAll(importCall)].map(([, name = ""]) => name);
}

/** Returns the file of a package's module. npm links a package of this repository, whose real path is then its own. */
function resolvePackage(name: string): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch {
    return undefined;
  }
}
