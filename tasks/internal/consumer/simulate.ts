import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { atPending } from "@hardhat-identity/protocol/pendingBlock";
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
  const ask = async (at: string): Promise<Simulation> => {
    const answer = String(await node.request({ method: "eth_call", params: [call, at] }));
    await node.request({ method: "eth_estimateGas", params: [call, at] });
    return { answer };
  };
  try {
    return await (block === "pending" ? atPending(ask) : ask(block));
  } catch (error) {
    const { data } = readRpcError(error);
    if (data === undefined) throw error;
    return { revert: data };
  }
}
