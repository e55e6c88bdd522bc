import { join } from "node:path";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { Toolbox } from "./templates.ts";

/** Finds the library and the test runner of a project's tests. */
export function findToolbox({ config }: HardhatRuntimeEnvironment): Toolbox {
  const ids = new Set(config.plugins.map(({ id }) => id));
  if (ids.has("hardhat-ethers") && ids.has("hardhat-mocha")) return "ethers";
  if (ids.has("hardhat-viem") && ids.has("hardhat-node-test-runner")) return "viem";
  throw new InvalidInputError(
    "The test needs a Hardhat toolbox, and hardhat.config.ts has none in `plugins`: add " +
      "@nomicfoundation/hardhat-toolbox-mocha-ethers or @nomicfoundation/hardhat-toolbox-viem.",
  );
}

/** The folder of a project's tests in TypeScript. */
export function findTestFolder({ config }: HardhatRuntimeEnvironment, toolbox: Toolbox): string {
  const { root, tests } = config.paths;
  const folders: Readonly<Record<string, string | undefined>> = { ...tests };
  return folders[toolbox === "viem" ? "nodejs" : "mocha"] ?? join(root, "test");
}
