import { isSameAddress } from "@hardhat-identity/protocol/address";
import { membersOf } from "@hardhat-identity/protocol/json";
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
  if (!includesAddress(await authorizedAccounts(node, settings), account)) throw unauthorized(account);
}

const unauthorized = (account: unknown) =>
  new WalletError(
    "unauthorized",
    `The account ${account ?? "that the node would choose"} is not; the wallet's authorize() takes accounts, also those that are not the node's.`,
  );

/** The account that acts, by the requests to a node that act for one. */
const acting: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
  eth_sendTransaction: ([transaction]) => membersOf(transaction).from,
  eth_sign: ([account]) => account,
  eth_signTransaction: ([transaction]) => membersOf(transaction).from,
  eth_signTypedData_v4: ([account]) => account,
};

/**
 * Returns the refusal (4100) of a request to a node, if it acts for an account that is not on the list of authorized ones.
 * Without a list, it is for the node to know its accounts.
 */
export function findUnauthorized(
  { accounts }: Pick<Settings, "accounts">,
  method: string,
  params: unknown,
): WalletError | undefined {
  const find = Object.hasOwn(acting, method) ? acting[method] : undefined;
  if (accounts === "all" || find === undefined) return undefined;
  const account = find(Array.isArray(params) ? params : []);
  const isListed = typeof account === "string" && includesAddress(accounts, account);
  return isListed ? undefined : unauthorized(account);
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
