import type { ConfigurationVariable, EdrNetworkUserConfig } from "hardhat/types/config";
import { localChainId } from "./internal/localNetwork.ts";

/** Which state of the public chain 84532 to fork. */
export interface ForkOptions {
  /** A JSON-RPC endpoint of the chain; with a key in it, a `configVariable`. An archive node, where a block is pinned. */
  readonly url: string | ConfigurationVariable;
  /**
   * The block to start from. Pinned, every run sees the same state, and Hardhat keeps on disk what it has read; by
   * default it is the newest, which takes a request for everything that is read, in every run.
   */
  readonly blockNumber?: number | bigint;
}

/**
 * The settings of a network that forks the public chain 84532, Base Sepolia: its chain id, and the chain type without
 * which Hardhat does not know by which rules its blocks are executed. The plugin itself brings the history of its
 * hardforks.
 *
 * @example
 * ```ts
 * import { configVariable, defineConfig } from "hardhat/config";
 * import { baseSepoliaFork } from "hardhat-identity/networks";
 *
 * export default defineConfig({
 *   networks: {
 *     fork: baseSepoliaFork({ url: configVariable("BASE_SEPOLIA_RPC_URL"), blockNumber: 30_000_000 }),
 *   },
 * });
 * ```
 */
export function baseSepoliaFork({ url, blockNumber }: ForkOptions): EdrNetworkUserConfig {
  return {
    type: "edr-simulated",
    chainType: "op",
    chainId: localChainId,
    forking: { url, ...(blockNumber === undefined ? {} : { blockNumber }) },
  };
}
