import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { supportedBrowsers } from "../../packages/protocol/browsers.ts";
import { copyDeclarations } from "./declarations.ts";

// `module-sync` gives `require` and `import` the same module, where Node can do that; the other is for Jest and older Nodes.
const formats = { "index.js": "esm", "cjs/index.js": "cjs" } as const;

/** The entries of the packed manifest, in place of those of the sources. */
const entries = {
  main: "./cjs/index.js",
  types: "./types/packages/client/index.d.ts",
  exports: {
    ".": {
      "module-sync": { types: "./types/packages/client/index.d.ts", default: "./index.js" },
      require: { types: "./cjs/types/packages/client/index.d.ts", default: "./cjs/index.js" },
      default: { types: "./types/packages/client/index.d.ts", default: "./index.js" },
    },
    "./package.json": "./package.json",
  },
};

/**
 * Stages `@hardhat-identity/client`: one file without dependencies, as an ES module and for CommonJS, and the
 * declarations that it reaches.
 */
export async function stageClient(compiled: string, folder: string): Promise<void> {
  await bundleClient(folder);
  cpSync("node_modules/@noble/hashes/LICENSE", join(folder, "licenses/noble-hashes.txt"));
  for (const types of ["types", "cjs/types"])
    copyDeclarations(compiled, "packages/client/index.d.ts", join(folder, types));
  const file = join(folder, "package.json");
  const { dependencies: _, peerDependencies: __, ...manifest } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, `${JSON.stringify({ ...manifest, ...entries }, undefined, 2)}\n`);
  writeFileSync(join(folder, "cjs/package.json"), '{ "type": "commonjs" }\n');
}

/** Builds the package's two files for the oldest supported browsers. */
export async function bundleClient(folder: string): Promise<void> {
  for (const [file, format] of Object.entries(formats)) {
    await build({
      // The sources, whose paths in comments are the same in every folder.
      entryPoints: ["packages/client/index.ts"],
      bundle: true,
      format,
      platform: "neutral",
      target: ["es2022"].concat(supportedBrowsers),
      outfile: join(folder, file),
    });
  }
}
