import type { NetworkConnection } from "hardhat/types/network";
import { isLocalNode } from "../../../chain/localNode.ts";
import { findRegistryProblem } from "../../../chain/registry.ts";
import { checkParameters } from "../../../ignition/checkParameters.ts";
import { print } from "../../../signer/cli/print.ts";
import { placeCreate2Factory } from "./create2Factory.ts";
import { chooseJournal, type JournalChoice } from "./journal.ts";
import { readModule, readParameters } from "./readModule.ts";

/** What `ignition deploy` is told. */
export interface DeployArguments extends JournalChoice {
  readonly modulePath: string;
  readonly parameters: string | undefined;
  readonly strategy: string;
  readonly writeLocalhostDeployment: boolean;
}

/**
 * Makes sure that a deployment can start: its parameters are good where its modules are this package's, its journal is
 * of this node, and a local node has the factory that the strategy `create2` needs.
 *
 * @param ignitionFolder Where Ignition looks for parameters that are not given, and keeps its journals.
 * @returns Where to journal it.
 * @throws InvalidInputError naming the parameter that is not good, or what is wrong with the journal.
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
  // Also for a module that is not there: Ignition resets the journal before it looks.
  const isJournalled = networkConfig.type === "http" || args.writeLocalhostDeployment;
  const choice = isJournalled
    ? await chooseJournal(node, args, ignitionFolder, print)
    : { deploymentId: args.deploymentId, reset: args.reset };
  if (args.strategy === "create2" && (await isLocalNode(node))) await placeCreate2Factory(node);
  return choice;
}
