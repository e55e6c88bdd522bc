import { isLocalNode } from "../../../chain/localNode.ts";
import { findRegistryProblem } from "../../../chain/registry.ts";
import { checkParameters } from "../../../ignition/checkParameters.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { placeCreate2Factory } from "./create2Factory.ts";
import { readModule, readParameters } from "./readModule.ts";

/** What `ignition deploy` is told. */
export interface DeployArguments {
  readonly modulePath: string;
  readonly parameters: string | undefined;
  readonly strategy: string;
}

/**
 * Makes sure that a deployment can start: its parameters are good where its modules are this package's, and a local
 * node has the factory that the strategy `create2` needs.
 *
 * @param ignitionFolder Where Ignition looks for parameters that are not given.
 * @throws InvalidInputError naming the parameter that is not good.
 */
export async function prepareDeployment(
  node: Eip1193Connection,
  args: DeployArguments,
  ignitionFolder: string,
): Promise<void> {
  const module = await readModule(args.modulePath);
  if (module === undefined) return;
  const parameters = await readParameters(args.parameters, module.id, ignitionFolder);
  await checkParameters(module, parameters, {
    isLocal: () => isLocalNode(node),
    findRegistryProblem: (address) => findRegistryProblem(node, address),
  });
  if (args.strategy === "create2" && (await isLocalNode(node))) await placeCreate2Factory(node);
}
