import "hardhat/types/config";
import "hardhat/types/network";
import type { ConnectionIdentity } from "./connection.ts";
import type { WalletSettings } from "./settings.ts";

declare module "hardhat/types/config" {
  interface HardhatUserConfig {
    identity?: {
      /** Initial settings of the development wallet of every simulated network. */
      wallet?: Partial<WalletSettings>;
    };
  }

  interface HardhatConfig {
    readonly identity: { readonly wallet: Partial<WalletSettings> };
  }
}

declare module "hardhat/types/network" {
  interface NetworkConnection<ChainTypeT extends ChainType | string = DefaultChainType> {
    /** The development wallet and, with the plugin hardhat-identity, test verifications. */
    identity: ConnectionIdentity;
  }
}
