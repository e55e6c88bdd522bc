import type { NetworkConnection } from "hardhat/types/network";
import { isLocalNode } from "../../../chain/localNode.ts";
import { findRegistryProblem } from "../../../chain/registry.ts";
import { print } from "../../../console/print.ts";
import { checkParameters } from "../../../ignition/checkParameters.ts";
import { placeCreate2Factory } from "./create2Factory.ts";
import { chooseJournal, type JournalChoice } from "./journal.ts";
import { readModule, readParameters } from "./readModule.ts";

/** The arguments of `ignition deploy`. */
export interface DeployArguments extends JournalChoice {
  readonly modulePath: string;
  readonly parameters: string | undefined;
  readonly strategy: string;
  readonly writeLocalhostDeployment: boolean;
}

/**
 * Prepares a deployment: checks the parameters of this package's modules, chooses a journal of this node, and gives a
 * local node the factory that the strategy `create2` needs.
 *
 * @param ignitionFolder Folder of Ignition's journals and default parameters.
 * @returns The journal to use.
 */
export async function prepareDeployment(
  { provider: node, networkConfig }: NetworkConnection<string>,
  args: DeployArguments,
  ignitionFolder: string,
): Promise<JournalChoice> {
  const module = await readModule(args.modulePath);
  if (module !== undefined) {
    const parameters = await readParameters(args.parameters, module.id, ignitionFolder);
    await checkParameters(module, parameters, {
      isLocal: () => isLocalNode(node),
      findRegistryProblem: (address) => findRegistryProblem(node, address),
    });
  }
  // Even if the module does not exist: Ignition resets the journal before it loads the module.
  const isJournalled = networkConfig.type === "http" || args.writeLocalhostDeployment;
  const choice = isJournalled
    ? await chooseJournal(node, args, ignitionFolder, print)
    : { deploymentId: args.deploymentId, reset: args.reset };
  if (args.strategy === "create2" && (await isLocalNode(node))) await placeCreate2Factory(node);
  return choice;
}
