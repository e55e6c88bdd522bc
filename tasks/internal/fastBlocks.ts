import type { NetworkConfig } from "hardhat/types/config";
import type { JsonRpcRequest } from "hardhat/types/providers";

/**
 * Whether a simulated network makes blocks as Base does since November 2026: several in a second, which share its
 * timestamp. Such a chain has no pending block.
 */
export function hasFastBlocks(network: NetworkConfig): boolean {
  if (network.type !== "edr-simulated" || network.chainType !== "op") return false;
  const { auto, interval } = network.mining;
  const longest = Math.max(...[interval].flat());
  return !auto && longest > 0 && longest < 1_000 && network.allowBlocksWithSameTimestamp;
}

/** The settings of a network that {@link hasFastBlocks}. */
export const miningOf = (milliseconds: number) => ({
  allowBlocksWithSameTimestamp: true,
  mining: { auto: false, interval: Math.round(milliseconds) },
});

/** Asks for `latest` in place of `pending`. A nonce still counts the transactions that wait, as on Base. */
export function withoutPending(request: JsonRpcRequest): JsonRpcRequest {
  const { method, params } = request;
  if (method === "eth_getTransactionCount" || !Array.isArray(params) || !params.includes("pending")) {
    return request;
  }
  return { ...request, params: params.map((each) => (each === "pending" ? "latest" : each)) };
}
