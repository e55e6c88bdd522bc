import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type Artifact, buildModule, DeploymentResultType, deploy } from "@nomicfoundation/ignition-core";
import { ZeroHash } from "ethers";

/** CreateX, through which Ignition's strategy `create2` deploys. It has this address on every chain that has it. */
export const create2Factory = "0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed";

/**
 * Deploys the CREATE2 factory to a local node that lacks it.
 *
 * @param node A local node. Other nodes refuse to set a balance.
 */
export async function placeCreate2Factory(node: Eip1193Connection): Promise<void> {
  const accounts = (await node.request({ method: "eth_accounts" })) as string[];
  const result = await deploy({
    // Ignition deploys the factory itself, but only on this chain id.
    provider: {
      request: async (request) => (request.method === "eth_chainId" ? "0x7a69" : node.request(request)),
    },
    strategy: "create2",
    strategyConfig: { salt: ZeroHash },
    ignitionModule: buildModule("Create2Factory", (m) => ({
      factory: m.contractAt("CreateX", factoryArtifact, create2Factory),
    })),
    deploymentParameters: {},
    artifactResolver: { loadArtifact: async () => factoryArtifact, getBuildInfo: async () => undefined },
    accounts,
  });
  if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT) {
    throw new Error(`The CREATE2 factory could not be deployed: ${result.type}`);
  }
}

const factoryArtifact: Artifact = {
  _format: "hh3-artifact-1",
  contractName: "CreateX",
  sourceName: "CreateX.sol",
  abi: [],
  bytecode: "0x",
  deployedBytecode: "0x",
  linkReferences: {},
  deployedLinkReferences: {},
};
