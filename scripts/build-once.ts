import type { HardhatPlugin } from "hardhat/types/plugins";

/**
 * While `npm test` runs, the contracts are built already, and `CONTRACTS_ARE_BUILT` says so: what a test starts must not
 * build them again, for it would write the files that another test reads.
 */
export const buildOnce: HardhatPlugin = {
  id: "build-once",
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        async build(context, rootFilePaths, options, next) {
          const isDone = process.env.CONTRACTS_ARE_BUILT === "true" && options?.scope !== "tests";
          return isDone ? new Map() : next(context, rootFilePaths, options);
        },
      }),
    }),
  },
};
