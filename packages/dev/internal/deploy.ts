import { cpSync } from "node:fs";
import examples from "@hardhat-identity/ignition/modules/Examples";
import signerRegistry from "@hardhat-identity/ignition/modules/SignerRegistry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { DeploymentResultType, deploy, type IgnitionModule } from "@nomicfoundation/ignition-core";
import { requireCancun } from "hardhat-identity/internal/requireCancun";
import { temporaryFolder } from "hardhat-identity/internal/temporaryFolder";
import type { RegistryParameters } from "./projectModules.ts";

/** Every module includes its artifacts, but Ignition requires a resolver. */
const noArtifacts = {
  loadArtifact: (name: string) => Promise.reject(new Error(`No artifact is read for ${name}.`)),
  getBuildInfo: async () => undefined,
};

/**
 * Deploys the registry and the example consumers, which it answers by their contracts' names.
 *
 * @param registryParameters The parameters of the module `SignerRegistry`.
 * @param journal Folder of Ignition's journal, in which later modules find the registry. The examples are not in it: a
 * project may have a module of their name. By default there is no journal.
 */
export async function deployStack(
  node: Eip1193Connection,
  registryParameters: RegistryParameters,
  journal: string | undefined,
) {
  await requireCancun(node);
  const accounts = (await node.request({ method: "eth_accounts" })) as string[];
  const run = async (ignitionModule: IgnitionModule, folder: string | undefined) => {
    const result = await deploy({
      artifactResolver: noArtifacts,
      provider: node,
      ignitionModule,
      deploymentParameters: { SignerRegistry: registryParameters },
      accounts,
      ...(folder === undefined ? {} : { deploymentDir: folder }),
      config: { blockPollingInterval: 5, requiredConfirmations: 1 },
    });
    if (result.type === DeploymentResultType.SUCCESSFUL_DEPLOYMENT) return Object.values(result.contracts);
    throw new Error(`The contracts could not be deployed: ${JSON.stringify(result)}`);
  };
  if (journal !== undefined) await run(signerRegistry, journal);
  const contracts = await run(examples, journal === undefined ? undefined : copyJournal(journal));
  const deployed = contracts.map(({ contractName, address }): [string, string] => [contractName, address]);
  const { SignerRegistry: registry = "", ExampleToken: _, ...consumers } = Object.fromEntries(deployed);
  return { registry, consumers };
}

function copyJournal(journal: string): string {
  const copy = temporaryFolder("hardhat-identity-journal-");
  cpSync(journal, copy, { recursive: true });
  return copy;
}
