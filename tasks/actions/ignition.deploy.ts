import { HardhatPluginError } from "hardhat/plugins";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { checkParameters } from "../../ignition/checkParameters.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { isLocalNode } from "../../signer/chain/localNode.ts";
import { placeCreate2Factory } from "../deployment/create2Factory.ts";
import { readModule, readParameters } from "../deployment/readModule.ts";

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
    const { provider } = connection;
    await checkParameters(module, parameters, () => isLocalNode(provider));
    if (args.strategy === "create2" && (await isLocalNode(provider))) await placeCreate2Factory(provider);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new HardhatPluginError("hardhat-identity", `${error.message} Nothing was sent.`, error);
  } finally {
    await connection.close();
  }
}

export default deploy;
