import "hardhat/types/network";
import type { ConnectionIdentity } from "./connection/identity.ts";

declare module "hardhat/types/network" {
  interface NetworkConnection<ChainTypeT extends ChainType | string = DefaultChainType> {
    /** Test verifications without a process: mint one, deploy a registry that accepts it. */
    identity: ConnectionIdentity;
  }
}
