import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Artifact } from "@nomicfoundation/ignition-core";

/** Where the compiled contracts are that this package ships; in this repository, where Hardhat compiles them to. */
export const artifactsFolder = fileURLToPath(new URL("../artifacts", import.meta.url));

/**
 * The compiled contract that this package ships, whatever the project at hand has compiled: the same bytecode for
 * everyone.
 *
 * @param name Path below `contracts/` without the ending, such as `SignerRegistry` or `examples/IncentiveProgram`.
 */
export function readArtifact(name: string): Artifact {
  const contract = name.split("/").at(-1);
  const file = new URL(`../artifacts/contracts/${name}.sol/${contract}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8"));
}
