import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { requireMatch } from "../internal/deployment/journal.ts";
import { withNode } from "../internal/deployment/withNode.ts";

/** `ignition status`, which asks the node, too, where `--network` names one. */
const status: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  const result = await runSuper(args);
  if (hre.globalOptions.network !== undefined) {
    await withNode(hre, ({ provider }) =>
      requireMatch(provider, String(args.deploymentId), hre.config.paths.ignition),
    );
  }
  return result;
};

export default status;
