import { DeploymentResultType, deploy } from "@nomicfoundation/ignition-core";
import examples from "../../../ignition/modules/Examples.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { RegistryParameters } from "./projectModules.ts";

/** Where the contracts of a stack are. */
export interface Deployment {
  readonly registry: string;
  /** Contract name → address. */
  readonly consumers: Record<string, string>;
}

/**
 * Deploys the registry and the example consumers.
 *
 * @param registryParameters Those of the module `SignerRegistry`.
 * @param journal Folder of Ignition's journal, where further modules are to find the registry; else there is none.
 */
export async function deployStack(
  node: Eip1193Connection,
  registryParameters: RegistryParameters,
  journal: string | undefined,
): Promise<Deployment> {
  const accounts = (await node.request({ method: "eth_accounts" })) as string[];
  const result = await deploy({
    // Every module brings its artifacts.
    artifactResolver: { loadArtifact: unknownArtifact, getBuildInfo: async () => undefined },
    provider: node,
    ignitionModule: examples,
    deploymentParameters: { SignerRegistry: registryParameters },
    accounts,
    ...(journal === undefined ? {} : { deploymentDir: journal }),
    config: { blockPollingInterval: 5, requiredConfirmations: 1 },
  });
  if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT) {
    throw new Error(`The contracts could not be deployed: ${JSON.stringify(result)}`);
  }
  const deployed = Object.values(result.contracts).map(({ contractName, address }) => [
    contractName,
    address,
  ]);
  const { SignerRegistry: registry = "", ExampleToken: _, ...consumers } = Object.fromEntries(deployed);
  return { registry, consumers };
}

async function unknownArtifact(name: string): Promise<never> {
  throw new Error(`No artifact is shipped for ${name}.`);
}
