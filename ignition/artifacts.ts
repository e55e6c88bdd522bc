import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Artifact } from "@nomicfoundation/ignition-core";

const { resolve } = createRequire(import.meta.url);

/** Where the compiled contracts are that this project ships; in this repository, below where Hardhat compiles them to. */
export const artifactsFolder = dirname(fileURLToPath(import.meta.resolve("#artifacts/_")));

/**
 * The compiled contract that this project ships, whatever the project at hand has compiled: the same bytecode for
 * everyone. Where it is, `imports` of the package.json says: what was compiled here, or `@hardhat-identity/contracts`.
 *
 * @param name Path below `contracts/` without the ending, such as `SignerRegistry` or `examples/IncentiveProgram`.
 */
export function readArtifact(name: string): Artifact {
  const contract = name.split("/").at(-1);
  return JSON.parse(readFileSync(resolve(`#artifacts/${name}.sol/${contract}.json`), "utf8"));
}
