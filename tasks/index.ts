import type { HardhatPlugin } from "hardhat/types/plugins";
import "./type-extensions.ts";

const hardhatIdentity: HardhatPlugin = {
  id: "hardhat-identity",
  npmPackage: "hardhat-identity",
  hookHandlers: {
    config: () => import("./hooks/config.ts"),
    network: () => import("./hooks/network.ts"),
  },
};

export default hardhatIdentity;
