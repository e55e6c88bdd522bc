import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { withPackedContracts } from "../internal/deployment/packedContracts.ts";

/** Extends every task that verifies contracts: it also finds the contracts of our packages. */
const verify: TaskOverrideActionFunction = (args, hre, runSuper) =>
  withPackedContracts(hre, () => runSuper(args));

export default verify;
