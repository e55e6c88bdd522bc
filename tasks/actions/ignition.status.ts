import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { requireMatch } from "../internal/deployment/journal.ts";
import { withNode } from "../internal/deployment/withNode.ts";

/** Extends `ignition status`: with `--network`, also checks that the journal matches the node. */
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
