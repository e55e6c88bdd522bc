// Finds the compiled contracts that the deployment modules in modules/ deploy.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Artifact } from "@nomicfoundation/ignition-core";

const { resolve } = createRequire(import.meta.url);

const packageFolder = dirname(resolve("@hardhat-identity/contracts/package.json"));
const inPackage = join(packageFolder, "artifacts");
// A fresh clone has it only after the first build, which looks for it.
const inRepository = fileURLToPath(new URL("../artifacts/contracts", import.meta.url));

/** Folder of the compiled contracts that this project ships; in this repository, a folder of Hardhat's artifacts. */
export const artifactsFolder = existsSync(inPackage) ? inPackage : inRepository;

/**
 * Folder of what explorers need to reproduce the contracts: a file for each, in the format of Hardhat's build info. This
 * repository has none.
 */
export const buildInfoFolder = dirname(fileURLToPath(import.meta.resolve("#build-info/_")));

/**
 * Reads a compiled contract that this project ships, so that everyone deploys the same bytecode.
 *
 * @param name Path below `contracts/` without the ending, such as `SignerRegistry` or `examples/IncentiveProgram`.
 */
export function readArtifact(name: string): Artifact {
  const contract = name.split("/").at(-1);
  return JSON.parse(readFileSync(join(artifactsFolder, `${name}.sol`, `${contract}.json`), "utf8"));
}

/**
 * Reads a contract of OpenZeppelin as OpenZeppelin compiled and published it. The package has it from one release, which an
 * explorer can reproduce, whatever release the project has installed.
 */
export function readOpenZeppelinArtifact(contract: string): Artifact {
  const packed = join(inPackage, "openzeppelin", `${contract}.json`);
  const { resolve: resolveForContracts } = createRequire(join(packageFolder, "package.json"));
  const published = `@openzeppelin/contracts/build/contracts/${contract}.json`;
  const file = existsSync(packed) ? packed : resolveForContracts(published);
  const artifact: Artifact = JSON.parse(readFileSync(file, "utf8"));
  // Published in Hardhat 2's format, from which the read members do not differ. Ignition resumes no deployment with it.
  return { ...artifact, _format: "hh3-artifact-1" };
}
