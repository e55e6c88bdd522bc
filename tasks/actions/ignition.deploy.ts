import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { type DeployArguments, prepareDeployment } from "../internal/deployment/prepare.ts";
import { withNode } from "../internal/deployment/withNode.ts";

/** `ignition deploy`, which first checks the parameters of this package's modules, and chooses the journal. */
const deploy: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  // As Ignition does before it loads the module, which reads artifacts.
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true, defaultBuildProfile: "production" });
  // The arguments are those of Ignition's task.
  const given = args as unknown as DeployArguments;
  const choice = await withNode(
    hre,
    (connection) => prepareDeployment(connection, given, hre.config.paths.ignition),
    "Nothing was sent.",
  );
  return runSuper({ ...args, ...choice });
};

export default deploy;
