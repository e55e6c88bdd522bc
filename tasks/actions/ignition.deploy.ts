import { HardhatPluginError } from "hardhat/plugins";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { isLocalNode } from "../../chain/localNode.ts";
import { checkParameters } from "../../ignition/checkParameters.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { placeCreate2Factory } from "../internal/deployment/create2Factory.ts";
import { readModule, readParameters } from "../internal/deployment/readModule.ts";

interface DeployArguments {
  readonly modulePath: string;
  readonly parameters: string | undefined;
  readonly strategy: string;
}

/** `ignition deploy`, which first checks the parameters of this package's modules. */
const deploy: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  // The arguments are those of Ignition's task.
  await prepare(args as unknown as DeployArguments, hre);
  return runSuper(args);
};

async function prepare(args: DeployArguments, hre: HardhatRuntimeEnvironment): Promise<void> {
  // As Ignition does before it loads the module, which reads artifacts.
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true, defaultBuildProfile: "production" });
  const module = await readModule(args.modulePath);
  if (module === undefined) return;
  const parameters = await readParameters(args.parameters, module.id, hre.config.paths.ignition);
  const connection = await hre.network.create();
  try {
    const { provider: node } = connection;
    await checkParameters(module, parameters, () => isLocalNode(node));
    if (args.strategy === "create2" && (await isLocalNode(node))) await placeCreate2Factory(node);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new HardhatPluginError("hardhat-identity", `${error.message} Nothing was sent.`, error);
  } finally {
    await connection.close();
  }
}

export default deploy;
