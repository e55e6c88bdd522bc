import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { supportedBrowsers } from "../../packages/protocol/browsers.ts";
import { copyDeclarations } from "./declarations.ts";

/** The folder of each format of the package's files. */
const formats = { ".": "esm", cjs: "cjs" } as const;

/** The files that apps import. */
const names = ["index", "react"] as const;

// `module-sync` gives `require` and `import` the same module, where Node can do that; the other is for Jest and older Nodes.
const entryOf = (name: (typeof names)[number]) => ({
  "module-sync": { types: `./types/packages/client/${name}.d.ts`, default: `./${name}.js` },
  require: { types: `./cjs/types/packages/client/${name}.d.ts`, default: `./cjs/${name}.js` },
  default: { types: `./types/packages/client/${name}.d.ts`, default: `./${name}.js` },
});

/** The entries of the packed manifest, in place of those of the sources. */
const entries = {
  main: "./cjs/index.js",
  types: "./types/packages/client/index.d.ts",
  exports: {
    ".": entryOf("index"),
    "./react": entryOf("react"),
    "./package.json": "./package.json",
  },
};

/**
 * Stages `@hardhat-identity/client`: one file without dependencies and one for React, as ES modules and for CommonJS, and
 * the declarations that they reach.
 */
export async function stageClient(compiled: string, folder: string): Promise<void> {
  await bundleClient(folder);
  cpSync("node_modules/@noble/hashes/LICENSE", join(folder, "licenses/noble-hashes.txt"));
  for (const types of ["types", "cjs/types"]) {
    for (const name of names) copyDeclarations(compiled, `packages/client/${name}.d.ts`, join(folder, types));
  }
  const file = join(folder, "package.json");
  const { dependencies: _, peerDependencies: __, ...manifest } = JSON.parse(readFileSync(file, "utf8"));
  const { peerDependencies } = JSON.parse(readFileSync("packages/client/package.json", "utf8"));
  writeFileSync(file, `${JSON.stringify({ ...manifest, peerDependencies, ...entries }, undefined, 2)}\n`);
  writeFileSync(join(folder, "cjs/package.json"), '{ "type": "commonjs" }\n');
}

/** Builds the package's files for the oldest supported browsers. */
export async function bundleClient(folder: string): Promise<void> {
  for (const [place, format] of Object.entries(formats)) {
    await build({
      // The sources, whose paths in comments are the same in every folder.
      entryPoints: names.map((name) => `packages/client/${name}.ts`),
      bundle: true,
      // React is the app's own, and the client is this package.
      external: ["react", "@hardhat-identity/client"],
      format,
      platform: "neutral",
      target: ["es2022"].concat(supportedBrowsers),
      outdir: join(folder, place),
    });
  }
}
