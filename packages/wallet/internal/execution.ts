import { WalletError } from "../errors.ts";
import { askUser, type Settings } from "../settings.ts";
import { delegation, knows7702 } from "./executor.ts";
import type { DevelopmentNode } from "./node.ts";
import type { SendCallsRequest } from "./sendCallsRequest.ts";

/** The way to execute a batch: atomically, atomically after an upgrade of the account, or call by call. */
export type Execution = "atomic" | "atomic-after-upgrade" | "sequential";

/**
 * Chooses how to execute a batch.
 *
 * @throws WalletError 5710 or 5750, if the batch must be atomic and cannot be.
 */
export async function chooseExecution(
  node: DevelopmentNode,
  settings: Settings,
  { from, chainId, atomicRequired, calls }: SendCallsRequest,
): Promise<Execution> {
  // A transaction with a single call is atomic for every account.
  if (atomicRequired && calls.length === 1) return "atomic";
  if (!(await supportsUpgrades(node, settings, from))) {
    if (atomicRequired) throw new WalletError("upgradeNotSupported", `It is ${chainId}.`);
    return "sequential";
  }
  const code = await node.code(from);
  if (code === delegation) return "atomic";
  if (!atomicRequired) return "sequential";
  if (code !== "0x") {
    throw new WalletError(
      "upgradeRejected",
      `The account ${from} has code of its own, which is not replaced.`,
    );
  }
  if (!(await askUser(settings.approveUpgrade, from))) {
    throw new WalletError("upgradeRejected", `The account is ${from}.`);
  }
  return "atomic-after-upgrade";
}

/** Returns whether the settings and the chain support upgrades of accounts. */
export async function supportsUpgrades(
  node: DevelopmentNode,
  { supports7702 }: Settings,
  account: string,
): Promise<boolean> {
  return supports7702 && (await knows7702(node, account));
}
