import { print } from "@hardhat-identity/console/print";
import { checkParameters } from "@hardhat-identity/ignition/checkParameters";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import { findRegistryProblem } from "@hardhat-identity/protocol/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { NetworkConnection } from "hardhat/types/network";
import { readAccounts } from "../wallet/readAccounts.ts";
import { create2Factory, placeCreate2Factory } from "./create2Factory.ts";
import { chooseLocalJournal, hardhatChainId, journalFolder } from "./journal.ts";
import { readModule, readParameters } from "./readModule.ts";

/** The arguments of `ignition deploy`. */
export interface DeployArguments {
  /** Name of the journal's folder below `deployments/`. If it is missing, Ignition chooses it. */
  readonly deploymentId: string | undefined;
  readonly modulePath: string;
  readonly parameters: string | undefined;
  readonly strategy: string;
  readonly writeLocalhostDeployment: boolean;
}

/**
 * Prepares a deployment: checks the parameters of this package's modules, gives a local node's deployment a journal of its
 * own, and gives the node the factory that the strategy `create2` needs.
 *
 * @param ignitionFolder Folder of Ignition's journals and default parameters.
 * @returns The name of the journal to use; `undefined` for Ignition's own choice.
 */
export async function prepareDeployment(
  { provider: node, networkConfig }: NetworkConnection<string>,
  args: DeployArguments,
  ignitionFolder: string,
): Promise<string | undefined> {
  const module = await readModule(args.modulePath);
  if (module !== undefined) {
    const parameters = await readParameters(args.parameters, module.id, ignitionFolder);
    await checkParameters(module, parameters, {
      isLocal: () => isLocalNode(node),
      readDeployer: async () => (await readAccounts(node)).accounts[0],
      findRegistryProblem: (address) => findRegistryProblem(node, address),
    });
  }
  if (args.strategy === "create2" && networkConfig.type !== "http" && !(await canHaveFactory(node)))
    throw new InvalidInputError(
      "--strategy create2 needs the contract CreateX, which a chain in this process cannot keep for Ignition. Run hardhat node, and deploy to it (--network localhost).",
    );
  if (args.strategy === "create2" && (await isLocalNode(node))) await placeCreate2Factory(node);
  const isJournalled = networkConfig.type === "http" || args.writeLocalhostDeployment;
  if (args.deploymentId || !isJournalled) return args.deploymentId;
  const deploymentId = await chooseLocalJournal(node);
  if (deploymentId !== undefined) {
    print(
      `This is a local node; its deployment is journalled in ${journalFolder(ignitionFolder, deploymentId)}.`,
    );
  }
  return deploymentId;
}

/** Whether a chain in this process has CreateX, as a fork may, or has the id on which Ignition deploys it. */
async function canHaveFactory(node: Eip1193Connection): Promise<boolean> {
  const [code, chainId] = await Promise.all([
    node.request({ method: "eth_getCode", params: [create2Factory, "latest"] }),
    node.request({ method: "eth_chainId" }),
  ]);
  return code !== "0x" || Number(chainId) === hardhatChainId;
}
