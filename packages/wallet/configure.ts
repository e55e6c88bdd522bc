import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { DevelopmentWallet } from "./createWallet.ts";
import { WalletError } from "./errors.ts";
import { readBoolean, readFields, refuse } from "./internal/fields.ts";
import { readSettings } from "./settings.ts";

/** The JSON-RPC method that configures a node's wallet, for tests in a browser. */
export const configureMethod = "identity_configureWallet";

/**
 * Executes {@link configureMethod}. `params` is one object with any of the wallet's settings, `reset: true` to restore
 * the initial settings first, and `rejectNext: true`.
 *
 * @throws WalletError -32602 that names the setting.
 */
export function configureWallet(wallet: DevelopmentWallet, params: unknown): null {
  if (!Array.isArray(params) || params.length !== 1)
    return refuse("params", "an array with one object", params);
  const { reset = false, rejectNext = false, ...rest } = readFields(params[0], "params[0]");
  const doReset = readBoolean(reset, "reset");
  const doRejectNext = readBoolean(rejectNext, "rejectNext");
  const settings = readOrRefuse(rest);
  if (doReset) wallet.reset();
  Object.assign(wallet, settings);
  if (doRejectNext) wallet.rejectNext();
  return null;
}

function readOrRefuse(settings: unknown) {
  try {
    return readSettings(settings);
  } catch (error) {
    throw error instanceof InvalidInputError ? new WalletError("invalidParams", error.message) : error;
  }
}
