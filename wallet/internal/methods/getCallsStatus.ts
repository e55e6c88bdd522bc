import type { CallsStatus } from "../../../protocol/eip5792.ts";
import type { WalletState } from "../state.ts";
import { readStatus } from "../status.ts";

/** `wallet_getCallsStatus`. */
export function getCallsStatus(state: WalletState, params: unknown): Promise<CallsStatus> {
  return readStatus(state, "wallet_getCallsStatus", params);
}
