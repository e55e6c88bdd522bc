import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { readManifests } from "../fixtures/deploy/deployFiles.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** Where kubernetes-types, which is made of Kubernetes' own schemas, has the kinds of an API. */
const modules: Readonly<Record<string, string>> = {
  v1: "core/v1",
  "apps/v1": "apps/v1",
  "policy/v1": "policy/v1",
  "networking.k8s.io/v1": "networking/v1",
};

const { manifests } = readManifests();

describe("The Kubernetes manifest", () => {
  it("matches Kubernetes' own schemas, without unknown fields", async () => {
    const folder = await temporaryFolder();
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const lines = manifests.map(({ apiVersion, kind, ...rest }, i) => {
      const type = `import("kubernetes-types/${modules[apiVersion]}").${kind}`;
      return `export const manifest${i}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })};`;
    });
    const misspelt = lines
      .find((line) => line.includes("readOnlyRootFilesystem"))
      ?.replace("readOnlyRootFilesystem", "readOnlyRootFileSystem")
      .replace(/manifest\d+/, "misspelt");
    writeFileSync(join(folder, "manifests.ts"), [...lines, "// @ts-expect-error", misspelt].join("\n"));
    const compilerOptions = {
      noEmit: true,
      strict: true,
      types: [],
      module: "esnext",
      moduleResolution: "bundler",
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["manifests.ts"] }),
    );
    const tsc = join(root, "node_modules/.bin/tsc");
    await promisify(execFile)(tsc, ["-p", "."], { cwd: folder }).catch(({ stdout }) => expect.fail(stdout));
  }).timeout(120_000);
});
