import "hardhat/types/config";
import "hardhat/types/network";
import type { WalletSettings } from "@hardhat-identity/wallet";
import type { ConnectionIdentity } from "./internal/testing/connectionIdentity.ts";

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
    /** Test helpers that need no running service: mint verifications, and deploy a registry that accepts them. */
    identity: ConnectionIdentity;
  }
}
