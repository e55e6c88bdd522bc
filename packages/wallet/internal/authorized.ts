import { isSameAddress } from "@hardhat-identity/protocol/address";
import { WalletError } from "../errors.ts";
import type { Settings, WalletMethod } from "../settings.ts";
import type { DevelopmentNode } from "./node.ts";

/** Refuses a method that is not authorized: 4100. */
export function checkMethod({ methods }: Settings, method: WalletMethod): void {
  if (methods !== "all" && !methods.includes(method)) {
    throw new WalletError("unauthorized", `The method ${method} is not.`);
  }
}

/** Refuses an account that is not authorized: 4100. */
export async function checkAccount(
  node: DevelopmentNode,
  settings: Settings,
  account: string,
): Promise<void> {
  if (!includesAddress(await authorizedAccounts(node, settings), account)) {
    throw new WalletError(
      "unauthorized",
      `The account ${account} is not; the wallet's authorize() takes accounts, also those that are not the node's.`,
    );
  }
}

export async function authorizedAccounts(
  node: DevelopmentNode,
  { accounts }: Settings,
): Promise<readonly string[]> {
  return accounts === "all" ? node.accounts() : accounts;
}

/** Whether a list of addresses has one, in any casing. */
export function includesAddress(addresses: readonly string[], address: string): boolean {
  return addresses.some((item) => isSameAddress(item, address));
}
