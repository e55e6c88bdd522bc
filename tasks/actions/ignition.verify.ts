import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { requireMatch } from "../internal/deployment/journal.ts";
import { withPackedContracts } from "../internal/deployment/packedContracts.ts";
import { withNode } from "../internal/deployment/withNode.ts";

/**
 * Extends `ignition verify`: first checks that the contracts are on the chain of the explorers, and also finds the
 * contracts of our packages.
 */
const verify: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  await withNode(hre, ({ provider }) =>
    requireMatch(provider, String(args.deploymentId), hre.config.paths.ignition),
  );
  return withPackedContracts(hre, () => runSuper(args));
};

export default verify;
