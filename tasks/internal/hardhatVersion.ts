import { createRequire } from "node:module";

/** The oldest Hardhat that the plugin works with, as in the package's peer dependency. */
export const oldestHardhat = "3.17.0";

/**
 * Checks the installed Hardhat, whose older versions lack what the plugin builds on.
 *
 * @throws Error that names the installed version and the command to update it.
 */
export function checkHardhatVersion(): void {
  const { version } = createRequire(import.meta.url)("hardhat/package.json");
  if (version.localeCompare(oldestHardhat, "en", { numeric: true }) >= 0) return;
  throw new Error(
    `hardhat-identity needs Hardhat ${oldestHardhat} or newer, and this project has Hardhat ${version}. ` +
      "Update it: npm install --save-dev hardhat@latest",
  );
}
