import { parseAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { readAccounts } from "./readAccounts.ts";

/**
 * Finds an account of the node by its index or its address. An address is not checked here: the node may impersonate
 * it, and refuses to sign or send otherwise.
 *
 * @param option Name of the option, such as `--from`.
 * @returns The checksummed address.
 */
export async function findAccount(node: Eip1193Connection, option: string, text: string): Promise<string> {
  if (!/^\d+$/.test(text)) return parseAddress(option, text);
  const { accounts, unanswered } = await readAccounts(node);
  const account = accounts[Number(text)];
  if (account !== undefined) return account;
  if (accounts.length === 0) {
    throw new InvalidInputError(
      `${option} ${text} is an account of the node, and it has none${unanswered}. Configure the account's key: accounts in the network's configuration.`,
    );
  }
  throw new InvalidInputError(
    `${option} must be an index below ${accounts.length} or the address of an account of the node, got ${text}.`,
  );
}
