// The configuration of the Solidity tests. Without the optimizer, compilation takes a tenth of the time. Gas and
// bytecode are tested on the build that ships, which hardhat.config.ts configures.
import { createRequire } from "node:module";
import { defineConfig } from "hardhat/config";
import config from "../../hardhat.config.ts";
import { strictSolc } from "../strict-solc.ts";

const solc = {
  version: "0.8.37",
  path: createRequire(import.meta.url).resolve("solc/soljson.js"),
  isolated: false,
  settings: { evmVersion: "prague" },
};

export default defineConfig({
  plugins: [strictSolc],
  solidity: { profiles: { default: solc }, splitTestsCompilation: false },
  paths: {
    ...config.paths,
    artifacts: "cache/solidity-tests/artifacts",
    cache: "cache/solidity-tests/cache",
  },
  test: { solidity: config.test?.solidity ?? {} },
});
