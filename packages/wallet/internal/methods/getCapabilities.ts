import { checkAccount, checkMethod } from "../authorized.ts";
import { supportsUpgrades } from "../execution.ts";
import { delegation } from "../executor.ts";
import { readAddress, readChainId, refuse } from "../fields.ts";
import type { WalletState } from "../state.ts";

/** `wallet_getCapabilities`: the account's capabilities by chain id. */
export async function getCapabilities(state: WalletState, params: unknown): Promise<Record<string, object>> {
  const { node, settings } = state;
  if (!Array.isArray(params) || params.length < 1 || params.length > 2) {
    return refuse("params", "an array with an address and, optionally, an array of chain ids", params);
  }
  const account = readAddress(params[0], "params[0]");
  const asked = params[1] === undefined ? undefined : readChainIds(params[1]);
  checkMethod(settings, "wallet_getCapabilities");
  await checkAccount(node, settings, account);
  const chainId = await node.chainId();
  if (asked !== undefined && !asked.includes(chainId)) return {};
  const status = await readAtomicStatus(state, account);
  // "0x0" stands for every chain (EIP-5792); ERC-8132 announces its capability there.
  return { "0x0": { gasLimitOverride: { supported: true } }, [chainId]: { atomic: { status } } };
}

/** Whether the account's batches are atomic, or will be after an upgrade of the account (EIP-5792). */
async function readAtomicStatus({ node, settings }: WalletState, account: string) {
  const code = await node.code(account);
  if (!(await supportsUpgrades(node, settings, account))) return "unsupported";
  if (code === delegation) return "supported";
  // Other code is not replaced.
  return code === "0x" ? "ready" : "unsupported";
}

function readChainIds(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return refuse("params[1]", "an array of chain ids", value);
  // EIP-5792 leaves the case of the digits open; of `wallet_sendCalls` the specification does not.
  const lowered = value.map((chainId) => (typeof chainId === "string" ? chainId.toLowerCase() : chainId));
  return lowered.map((chainId, i) => readChainId(chainId, `params[1][${i}]`));
}
