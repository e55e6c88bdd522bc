import type { CallsStatus } from "@hardhat-identity/protocol/eip5792";
import type { WalletState } from "../state.ts";
import { readStatus } from "../status.ts";

/** `wallet_getCallsStatus`. */
export function getCallsStatus(state: WalletState, params: unknown): Promise<CallsStatus> {
  return readStatus(state, "wallet_getCallsStatus", params);
}
