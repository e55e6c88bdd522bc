import { join } from "node:path";
import { build } from "esbuild";
import { copyDeclarations } from "./declarations.ts";

/** Stages `@hardhat-identity/pkcs11`: its module, the thread of a library, and the declarations. */
export async function stagePkcs11(compiled: string, folder: string): Promise<void> {
  await build({
    // Paths in comments are relative to it, and so the same in every folder.
    absWorkingDir: compiled,
    entryPoints: ["pkcs11/index.js", "pkcs11/internal/thread.js"],
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    external: ["pkcs11js"],
    outdir: folder,
  });
  copyDeclarations(compiled, "pkcs11/index.d.ts", join(folder, "types"));
}
