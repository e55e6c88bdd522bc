import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { requireMatch } from "../internal/deployment/journal.ts";
import { withPackedContracts } from "../internal/deployment/packedContracts.ts";
import { withNode } from "../internal/deployment/withNode.ts";

/** `ignition verify`, which first makes sure that the contracts are on the chain that explorers are asked about, and
 * finds those of our packages, too. */
const verify: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  await withNode(hre, ({ provider }) =>
    requireMatch(provider, String(args.deploymentId), hre.config.paths.ignition),
  );
  return withPackedContracts(hre, () => runSuper(args));
};

export default verify;
