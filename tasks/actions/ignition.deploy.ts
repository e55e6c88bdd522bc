import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { type DeployArguments, prepareDeployment } from "../internal/deployment/prepare.ts";
import { withNode } from "../internal/deployment/withNode.ts";

/** Extends `ignition deploy`: first checks the parameters of this package's modules and chooses the journal. */
const deploy: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  // Ignition does the same before it loads the module, which reads artifacts.
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true, defaultBuildProfile: "production" });
  // Ignition's task declares these arguments.
  const given = args as unknown as DeployArguments;
  const choice = await withNode(
    hre,
    (connection) => prepareDeployment(connection, given, hre.config.paths.ignition),
    "Nothing was sent.",
  );
  return runSuper({ ...args, ...choice });
};

export default deploy;
