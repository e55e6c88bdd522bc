import { askNode } from "../askNode.ts";
import type { WalletState } from "../state.ts";

/**
 * `eth_signTypedData` (EIP-712) and its third version in wallets. Both sign what the fourth signs, which is the only one
 * that a node has.
 */
export const signTypedData = (state: WalletState, params: unknown): Promise<unknown> =>
  askNode(state, "eth_signTypedData_v4", params as readonly unknown[]);
