import { authorizedAccounts, checkMethod } from "../authorized.ts";
import { refuseIfRejected, type WalletState } from "../state.ts";

/** `eth_requestAccounts`. */
export async function requestAccounts(state: WalletState): Promise<readonly string[]> {
  const { node, settings } = state;
  checkMethod(settings, "eth_requestAccounts");
  refuseIfRejected(state);
  return authorizedAccounts(node, settings);
}
