import { cpSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";

/** Stages `@hardhat-identity/client`: one module without dependencies, and the declarations that it reaches. */
export async function stageClient(compiled: string, folder: string): Promise<void> {
  await build({
    entryPoints: [join(compiled, "client/index.js")],
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    nodePaths: ["node_modules"],
    outfile: join(folder, "index.js"),
  });
  cpSync("node_modules/@noble/hashes/LICENSE", join(folder, "licenses/noble-hashes.txt"));
  for (const file of reachedDeclarations(join(compiled, "client/index.d.ts"))) {
    cpSync(file, join(folder, "types", relative(compiled, file)));
  }
}

function reachedDeclarations(entry: string): Set<string> {
  const reached = new Set([entry]);
  // Iterating over a set includes the elements that are added meanwhile.
  for (const file of reached) {
    for (const [, imported = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      reached.add(join(dirname(file), imported.replace(/\.js$/, ".d.ts")));
    }
  }
  return reached;
}
