import { DeploymentResultType, deploy } from "@nomicfoundation/ignition-core";
import examples from "../../../ignition/modules/Examples.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";

/** Where the contracts of a stack are. */
export interface Deployment {
  readonly registry: string;
  /** Contract name → address. */
  readonly consumers: Record<string, string>;
}

/** Deploys the registry, owned by the first account, and the example consumers. */
export async function deployStack(node: Eip1193Connection, signer: string): Promise<Deployment> {
  const accounts = (await node.request({ method: "eth_accounts" })) as string[];
  const result = await deploy({
    // Every module brings its artifacts.
    artifactResolver: { loadArtifact: unknownArtifact, getBuildInfo: async () => undefined },
    provider: node,
    ignitionModule: examples,
    deploymentParameters: { SignerRegistry: { owner: accounts[0] ?? "", signers: [signer] } },
    accounts,
    config: { blockPollingInterval: 50, requiredConfirmations: 1 },
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
