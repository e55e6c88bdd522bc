import { authorizedAccounts, checkMethod } from "../authorized.ts";
import type { WalletState } from "../state.ts";

/** `eth_requestAccounts`. */
export async function requestAccounts({ node, settings }: WalletState): Promise<readonly string[]> {
  checkMethod(settings, "eth_requestAccounts");
  return authorizedAccounts(node, settings);
}
