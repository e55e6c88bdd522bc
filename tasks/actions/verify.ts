import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { withPackedContracts } from "../internal/deployment/packedContracts.ts";

/** Any task that verifies contracts: it finds those of our packages, too. */
const verify: TaskOverrideActionFunction = (args, hre, runSuper) =>
  withPackedContracts(hre, () => runSuper(args));

export default verify;
