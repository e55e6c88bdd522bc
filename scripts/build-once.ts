import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { overrideTask } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";
import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { composeStamp, readBuilt, stampName } from "./built.ts";

/**
 * Skips the build if nothing has changed. Hardhat's own check takes most of a second, because it loads the compiler and
 * generates the types again.
 *
 * `npm test` builds the contracts first and sets `CONTRACTS_ARE_BUILT`. The programs that a test starts must not build
 * them again, because they would write files that another test reads.
 */
export const buildOnce: HardhatPlugin = {
  id: "build-once",
  tasks: [
    overrideTask("build")
      .setAction(async () => ({ default: buildUnlessBuilt }))
      .build(),
  ],
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        async build(context, rootFilePaths, options, next) {
          return areBuilt() && options?.scope !== "tests" ? new Map() : next(context, rootFilePaths, options);
        },
      }),
    }),
  },
};

const buildUnlessBuilt: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  const { root, cache } = hre.config.paths;
  const stamp = join(cache, stampName);
  // Skip only a plain build of all contracts. Hardhat decides about all others.
  const isUsual = args.noTests && !args.force && args.files.length === 0 && !hre.globalOptions.buildProfile;
  if (!isUsual) return runSuper(args);
  const built = areBuilt() ? "all" : readBuilt(root, cache);
  if (built === "all" || (built === "shipped" && onlyShipped())) {
    return { contractRootPaths: [], testRootPaths: [] };
  }
  // Named files remove no artifacts of others.
  const shipped = onlyShipped() ? globSync(join(root, "contracts/**/*.sol")) : [];
  const paths = await runSuper({ ...args, files: shipped });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, composeStamp(root, onlyShipped() ? "shipped" : "all"));
  return paths;
};

const areBuilt = () => process.env.CONTRACTS_ARE_BUILT === "true";

/** Whether what our own tests deploy is left out. */
const onlyShipped = () => process.env.BUILD_ONLY_SHIPPED === "true";
