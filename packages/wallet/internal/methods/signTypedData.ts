import { refuseIfRejected, type WalletState } from "../state.ts";

/**
 * `eth_signTypedData` (EIP-712) and its third version in wallets. Both sign what the fourth signs, which is the only one
 * that a node has.
 */
export async function signTypedData(state: WalletState, params: unknown): Promise<unknown> {
  refuseIfRejected(state);
  return state.node.request({ method: "eth_signTypedData_v4", params: params as readonly unknown[] });
}
