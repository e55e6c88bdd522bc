import { createHash } from "node:crypto";
import { membersOf } from "@hardhat-identity/protocol/json";
import {
  type ArtifactResolver,
  type DeploymentParameters,
  type IgnitionModule,
  IgnitionModuleSerializer,
} from "@nomicfoundation/ignition-core";
import { sourceHash } from "hardhat-identity/internal/consumer/compiledContract";

/**
 * Computes a hash of what Ignition would deploy: the modules, their parameters, and the interface and code of their
 * contracts. A comment in a source changes nothing.
 */
export async function fingerprint(
  modules: readonly { readonly ignitionModule: IgnitionModule; readonly parameters: DeploymentParameters }[],
  resolver: Pick<ArtifactResolver, "loadArtifact">,
): Promise<string> {
  const hash = createHash("sha256");
  for (const { ignitionModule, parameters } of modules) {
    const serialized = IgnitionModuleSerializer.serialize(ignitionModule);
    hash.update(write([serialized, parameters]));
    const futures = Object.values(serialized.modules).flatMap((each) => Object.values(each.futures));
    const names = futures.flatMap((future) => ("contractName" in future ? [future.contractName] : []));
    for (const name of new Set(names)) {
      // A module may include an artifact instead. Ignition itself says which one is missing.
      const { abi, bytecode } = membersOf(await resolver.loadArtifact(name).catch(() => undefined));
      hash.update(write([name, abi, bytecode]).replace(sourceHash, ""));
    }
  }
  return hash.digest("hex");
}

const write = (value: unknown) =>
  JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}n` : each)) ?? "";
