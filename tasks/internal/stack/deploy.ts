import { DeploymentResultType, deploy } from "@nomicfoundation/ignition-core";
import examples from "../../../ignition/modules/Examples.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { noArtifacts } from "../deployment/journal.ts";
import { requireCancun } from "../requireCancun.ts";
import type { RegistryParameters } from "./projectModules.ts";

/**
 * Deploys the registry and the example consumers, which it answers by their contracts' names.
 *
 * @param registryParameters The parameters of the module `SignerRegistry`.
 * @param journal Folder of Ignition's journal, in which later modules find the registry. By default there is no
 * journal.
 */
export async function deployStack(
  node: Eip1193Connection,
  registryParameters: RegistryParameters,
  journal: string | undefined,
) {
  await requireCancun(node);
  const accounts = (await node.request({ method: "eth_accounts" })) as string[];
  const result = await deploy({
    // Every module includes its artifacts.
    artifactResolver: noArtifacts,
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
  const deployed = Object.values(result.contracts).map(({ contractName, address }): [string, string] => [
    contractName,
    address,
  ]);
  const { SignerRegistry: registry = "", ExampleToken: _, ...consumers } = Object.fromEntries(deployed);
  return { registry, consumers };
}
