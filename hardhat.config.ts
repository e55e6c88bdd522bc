import { createRequire } from "node:module";
import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { configVariable, defineConfig } from "hardhat/config";
import { strictSolc } from "./scripts/strict-solc.ts";
import hardhatIdentity from "./tasks/index.ts";

const require = createRequire(import.meta.url);

const solc = {
  version: "0.8.37",
  // From npm, so that building needs no download.
  path: require.resolve("solc/soljson.js"),
  isolated: false,
  settings: {
    evmVersion: "prague",
    viaIR: true,
    optimizer: { enabled: true, runs: 1_000_000 },
    // With CREATE2 the bytecode decides the address: a comment or another file must not change it.
    metadata: { bytecodeHash: "none" },
  },
};

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers, hardhatIdentity, strictSolc],
  solidity: {
    // Ignition builds with `production`, everything else with `default`: the bytecode must not depend on that.
    profiles: { default: solc, production: solc },
    splitTestsCompilation: true,
  },
  networks: {
    baseSepolia: {
      type: "http",
      chainType: "op",
      chainId: 84532,
      url: configVariable("BASE_SEPOLIA_RPC_URL"),
      accounts: [configVariable("DEPLOYER_PRIVATE_KEY")],
    },
  },
  test: {
    mocha: { forbidOnly: true, timeout: 60_000 },
    solidity: {
      fsPermissions: { readDirectory: ["test/vectors"] },
      invariant: { runs: 32, depth: 64, failOnRevert: true },
    },
  },
  typechain: { outDir: "typechain-types" },
});
