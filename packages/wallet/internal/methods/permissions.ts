import { authorizedAccounts } from "../authorized.ts";
import { readFields, refuse } from "../fields.ts";
import type { WalletState } from "../state.ts";
import { requestAccounts } from "./requestAccounts.ts";

/** `wallet_getPermissions` (EIP-2255). Every client of the node counts as connected; a page does not: see `announceWallet`. */
export const getPermissions = async ({ node, settings }: WalletState): Promise<readonly object[]> =>
  describePermissions(await authorizedAccounts(node, settings));

/** `wallet_requestPermissions`. */
export async function requestPermissions(state: WalletState, params: unknown): Promise<readonly object[]> {
  readAsked(params);
  return describePermissions(await requestAccounts(state));
}

/** `wallet_revokePermissions`: there is nothing to forget. */
export async function revokePermissions(_state: WalletState, params: unknown): Promise<null> {
  readAsked(params);
  return null;
}

function readAsked(params: unknown): void {
  const asked = Array.isArray(params) ? Object.keys(readFields(params[0], "params[0]")) : [];
  if (asked.join() !== "eth_accounts") refuse("params", '[{ "eth_accounts": {} }]', params);
}

const describePermissions = (accounts: readonly string[]) => [
  {
    invoker: "http://localhost",
    parentCapability: "eth_accounts",
    caveats: [{ type: "restrictReturnedAccounts", value: accounts }],
  },
];
