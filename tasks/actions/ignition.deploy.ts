import { HardhatPluginError } from "hardhat/plugins";
import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { InvalidInputError } from "../../protocol/errors.ts";
import { type DeployArguments, prepareDeployment } from "../internal/deployment/prepare.ts";

/** `ignition deploy`, which first checks the parameters of this package's modules. */
const deploy: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  // As Ignition does before it loads the module, which reads artifacts.
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true, defaultBuildProfile: "production" });
  const connection = await hre.network.create();
  try {
    // The arguments are those of Ignition's task.
    const given = args as unknown as DeployArguments;
    await prepareDeployment(connection.provider, given, hre.config.paths.ignition);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new HardhatPluginError("hardhat-identity", `${error.message} Nothing was sent.`, error);
  } finally {
    await connection.close();
  }
  return runSuper(args);
};

export default deploy;
