import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { lacksPendingBlock } from "@hardhat-identity/protocol/pendingBlock";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";

/** The outcome of a simulated call: what the contract answers, or the data that it reverts with, hex. */
export type Simulation = { readonly answer: string } | { readonly revert: string };

/**
 * Simulates a call. A node may answer a revert as if it were a result, as Hardhat's does with
 * `throwOnCallFailures: false`, but no node estimates gas for one: only both together are a success. A node that has no
 * pending block is asked at `latest`.
 */
export async function simulate(
  node: Eip1193Connection,
  call: Readonly<Record<"from" | "to" | "data", string>> & { readonly value?: string },
  block: "latest" | "pending",
): Promise<Simulation> {
  try {
    const answer = String(await node.request({ method: "eth_call", params: [call, block] }));
    await node.request({ method: "eth_estimateGas", params: [call, block] });
    return { answer };
  } catch (error) {
    if (block === "pending" && lacksPendingBlock(error)) return simulate(node, call, "latest");
    const { data } = readRpcError(error);
    if (data === undefined) throw error;
    return { revert: data };
  }
}
