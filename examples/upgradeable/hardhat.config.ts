import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

export default defineConfig({
  plugins: [toolbox, hardhatIdentity],
  solidity: {
    version: "0.8.37",
    npmFilesToBuild: ["@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol"],
    // The validator reads where each version keeps its variables.
    settings: { outputSelection: { "*": { "*": ["storageLayout"] } } },
  },
});
