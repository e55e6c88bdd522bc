import type { WalletState } from "../state.ts";
import { readStatus } from "../status.ts";

/** `wallet_showCallsStatus`. */
export async function showCallsStatus(state: WalletState, params: unknown): Promise<null> {
  await state.show(await readStatus(state, "wallet_showCallsStatus", params));
  return null;
}
