import { makeVisible, printError } from "@hardhat-identity/console/print";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { errorResult } from "hardhat/utils/result";
import { type DeployArguments, prepareDeployment } from "../internal/deployment/prepare.ts";

/** Extends `ignition deploy`: first checks the parameters of this package's modules and names a local node's journal. */
const deploy: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  // Ignition does the same before it loads the module, which reads artifacts.
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true, defaultBuildProfile: "production" });
  // Ignition's task declares these arguments.
  const given = args as unknown as DeployArguments;
  const connection = await hre.network.create<string>();
  let deploymentId: string | undefined;
  try {
    deploymentId = await prepareDeployment(connection, given, hre.config.paths.ignition);
  } catch (error) {
    makeVisible(error);
    if (!(error instanceof InvalidInputError)) throw error;
    printError(`${error.message} Nothing was sent.`);
    return errorResult(error);
  } finally {
    await connection.close();
  }
  return runSuper({ ...args, deploymentId });
};

export default deploy;
