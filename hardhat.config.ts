import { createRequire } from "node:module";
import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { configVariable, defineConfig } from "hardhat/config";
import { buildOnce } from "./scripts/build-once.ts";
import { strictSolc } from "./scripts/strict-solc.ts";
import { mochaOptions } from "./scripts/test/mocha.ts";
import hardhatIdentity from "./tasks/index.ts";

const require = createRequire(import.meta.url);

const solc = {
  version: "0.8.37",
  // From npm, so that building needs no download.
  path: require.resolve("solc/soljson.js"),
  isolated: false,
  toolVersionsInBuildInfo: false,
  settings: {
    // First, as Hardhat has it in the profile `production`: another order would compile everything again.
    optimizer: { enabled: true, runs: 1_000_000 },
    evmVersion: "prague",
    viaIR: true,
    // With CREATE2 the bytecode decides the address: a comment or another file must not change it.
    metadata: { bytecodeHash: "none" },
  },
};

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers, hardhatIdentity, strictSolc, buildOnce],
  solidity: {
    // Ignition builds with `production`, everything else with `default`: the bytecode must not depend on that.
    profiles: { default: solc, production: solc },
    splitTestsCompilation: true,
  },
  // The contracts of our own tests are compiled as well, but not published.
  paths: {
    sources: { solidity: ["contracts", "test/fixtures/contracts"] },
    tests: { solidity: "test/contracts" },
  },
  networks: {
    // The node of `hardhat identity dev`.
    localhost: { type: "http", chainType: "op", chainId: 84532, url: "http://127.0.0.1:8545" },
    baseSepolia: {
      type: "http",
      chainType: "op",
      chainId: 84532,
      url: configVariable("BASE_SEPOLIA_RPC_URL"),
      accounts: [configVariable("DEPLOYER_PRIVATE_KEY")],
    },
  },
  // keccak256("hardhat-identity"): part of every address that the strategy `create2` gives.
  ignition: {
    strategyConfig: {
      create2: { salt: "0x78c4aa1dfc46b41e9ecd65561e5f544223afe9c619ee04a7b16c1b35ae224492" },
    },
  },
  test: {
    mocha: mochaOptions,
    solidity: {
      fsPermissions: { readDirectory: ["test/vectors"] },
      invariant: { runs: 32, depth: 64, failOnRevert: true },
    },
  },
  coverage: { skipFiles: ["contracts/{testing,lens,attack}/**", "test/**"] },
  typechain: { outDir: "typechain-types" },
});
