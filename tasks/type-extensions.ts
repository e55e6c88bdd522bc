import "hardhat/types/config";
import "hardhat/types/network";
import type { WalletSettings } from "../wallet/index.ts";
import type { ConnectionIdentity } from "./internal/testing/connectionIdentity.ts";

declare module "hardhat/types/config" {
  interface HardhatUserConfig {
    identity?: {
      /** How the development wallet of every simulated network starts. */
      wallet?: Partial<WalletSettings>;
    };
  }

  interface HardhatConfig {
    readonly identity: { readonly wallet: Partial<WalletSettings> };
  }
}

declare module "hardhat/types/network" {
  interface NetworkConnection<ChainTypeT extends ChainType | string = DefaultChainType> {
    /** Test verifications without a process: mint one, deploy a registry that accepts it. */
    identity: ConnectionIdentity;
  }
}
