// The Hardhat plugin, and what wallet.ts exports.
import { definePlugin } from "hardhat/plugins";
import "./type-extensions.ts";

export * from "./wallet.ts";

export default definePlugin({
  id: "hardhat-identity-wallet",
  npmPackage: "@hardhat-identity/wallet",
  hookHandlers: {
    config: () => import("./hooks/config.ts"),
    network: () => import("./hooks/network.ts"),
  },
});
