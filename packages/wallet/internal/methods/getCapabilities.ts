import { checkAccount, checkMethod } from "../authorized.ts";
import { supportsUpgrades } from "../execution.ts";
import { delegation } from "../executor.ts";
import { readAddress, readChainId, refuse } from "../fields.ts";
import type { WalletState } from "../state.ts";

/** `wallet_getCapabilities`: the account's capabilities by chain id. */
export async function getCapabilities(
  { node, settings }: WalletState,
  params: unknown,
): Promise<Record<string, object>> {
  if (!Array.isArray(params) || params.length < 1 || params.length > 2) {
    return refuse("params", "an array with an address and, optionally, an array of chain ids", params);
  }
  const account = readAddress(params[0], "params[0]");
  const asked = params[1] === undefined ? undefined : readChainIds(params[1]);
  checkMethod(settings, "wallet_getCapabilities");
  await checkAccount(node, settings, account);
  const chainId = await node.chainId();
  if (asked !== undefined && !asked.includes(chainId)) return {};
  const upgraded = (await node.code(account)) === delegation;
  const status = !(await supportsUpgrades(node, settings, account))
    ? "unsupported"
    : upgraded
      ? "supported"
      : "ready";
  // "0x0" stands for every chain (EIP-5792); ERC-8132 announces its capability there.
  return { "0x0": { gasLimitOverride: { supported: true } }, [chainId]: { atomic: { status } } };
}

function readChainIds(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return refuse("params[1]", "an array of chain ids", value);
  // EIP-5792 leaves the case of the digits open; of `wallet_sendCalls` the specification does not.
  const lowered = value.map((chainId) => (typeof chainId === "string" ? chainId.toLowerCase() : chainId));
  return lowered.map((chainId, i) => readChainId(chainId, `params[1][${i}]`));
}
