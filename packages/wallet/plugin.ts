import { definePlugin } from "hardhat/plugins";
import "./type-extensions.ts";

/** The Hardhat plugin, which loads the wallet when a connection opens. */
export default definePlugin({
  id: "hardhat-identity-wallet",
  npmPackage: "@hardhat-identity/wallet",
  hookHandlers: {
    config: () => import("./hooks/config.ts"),
    network: () => import("./hooks/network.ts"),
  },
});
