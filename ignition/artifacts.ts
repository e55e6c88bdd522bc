// Finds the compiled contracts that the deployment modules in modules/ deploy.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Artifact } from "@nomicfoundation/ignition-core";

const { resolve } = createRequire(import.meta.url);

/** Folder of the compiled contracts that this project ships; in this repository, a folder of Hardhat's artifacts. */
export const artifactsFolder = dirname(fileURLToPath(import.meta.resolve("#artifacts/_")));

/**
 * Reads a compiled contract that this project ships, so that everyone deploys the same bytecode. `imports` of the
 * package.json resolves it: to this repository's artifacts, or to `@hardhat-identity/contracts`.
 *
 * @param name Path below `contracts/` without the ending, such as `SignerRegistry` or `examples/IncentiveProgram`.
 */
export function readArtifact(name: string): Artifact {
  const contract = name.split("/").at(-1);
  return JSON.parse(readFileSync(resolve(`#artifacts/${name}.sol/${contract}.json`), "utf8"));
}

/**
 * Reads a contract of OpenZeppelin as OpenZeppelin compiled and published it, from the package that
 * `@hardhat-identity/contracts` depends on.
 */
export function readOpenZeppelinArtifact(contract: string): Artifact {
  const { resolve: resolveForContracts } = createRequire(
    resolve("#artifacts/SignerRegistry.sol/SignerRegistry.json"),
  );
  const file = resolveForContracts(`@openzeppelin/contracts/build/contracts/${contract}.json`);
  const artifact: Artifact = JSON.parse(readFileSync(file, "utf8"));
  // Published in Hardhat 2's format, from which the read members do not differ. Ignition resumes no deployment with it.
  return { ...artifact, _format: "hh3-artifact-1" };
}
