import type { ConfigurationVariable, EdrNetworkUserConfig } from "hardhat/types/config";
import { baseChainId } from "./internal/baseChains.ts";
import { miningOf } from "./internal/fastBlocks.ts";
import { localChainId } from "./internal/localNetwork.ts";

/** The state of a public chain to fork. */
export interface ForkOptions {
  /**
   * JSON-RPC endpoint of the chain. Use a `configVariable` if it contains a key, and an archive node to pin a block.
   */
  readonly url: string | ConfigurationVariable;
  /**
   * The block to start from. With a pinned block, every run sees the same state, and Hardhat caches reads on disk. By
   * default it is the newest block, and every run requests all state again.
   */
  readonly blockNumber?: number | bigint;
  /** Headers of each request, such as an authorization that the endpoint asks for. */
  readonly httpHeaders?: Readonly<Record<string, string>>;
}

/**
 * The settings of a network that forks the public chain 84532, Base Sepolia: its chain id and its chain type, which
 * tells Hardhat by which rules to execute its blocks. The plugin adds the history of the chain's hardforks.
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
export function baseSepoliaFork(options: ForkOptions): EdrNetworkUserConfig {
  return forkOf(localChainId, options);
}

/** The same for a network that forks the public chain 8453, Base. */
export function baseFork(options: ForkOptions): EdrNetworkUserConfig {
  return forkOf(baseChainId, options);
}

function forkOf(chainId: number, { url, blockNumber, httpHeaders }: ForkOptions): EdrNetworkUserConfig {
  return {
    type: "edr-simulated",
    chainType: "op",
    chainId,
    forking: { url, ...(blockNumber !== undefined && { blockNumber }), ...(httpHeaders && { httpHeaders }) },
  };
}

/**
 * The settings of a simulated network with the blocks that Base has since November 2026: one each 200 milliseconds, so that
 * several share a second and its timestamp, and none that is pending. Nonces alone count the transactions that wait.
 *
 * @param milliseconds From block to block, below a second.
 * @example
 * ```ts
 * import { defineConfig } from "hardhat/config";
 * import { fastBlocks } from "hardhat-identity/networks";
 *
 * export default defineConfig({ networks: { fast: fastBlocks() } });
 * ```
 */
export function fastBlocks(milliseconds = 200): EdrNetworkUserConfig {
  return { type: "edr-simulated", chainType: "op", chainId: localChainId, ...miningOf(milliseconds) };
}
