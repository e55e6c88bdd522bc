import "@hardhat-identity/wallet/type-extensions";
import type { PluginIdentity } from "./internal/testing/connectionIdentity.ts";

declare module "@hardhat-identity/wallet/connection" {
  interface ConnectionIdentity extends PluginIdentity {}
}
