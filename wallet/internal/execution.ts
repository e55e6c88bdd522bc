import { WalletError } from "../errors.ts";
import { askUser, type Settings } from "../settings.ts";
import { delegation, knows7702 } from "./executor.ts";
import type { DevelopmentNode } from "./node.ts";
import type { SendCallsRequest } from "./sendCallsRequest.ts";

/** How a batch is carried out: all or nothing, after an upgrade of the account where it needs one, or call by call. */
export type Execution = "atomic" | "atomic-after-upgrade" | "sequential";

/**
 * Chooses how a batch is carried out.
 *
 * @throws WalletError 5710 or 5750, where the batch must be atomic and cannot be.
 */
export async function chooseExecution(
  node: DevelopmentNode,
  settings: Settings,
  { from, chainId, atomicRequired, calls }: SendCallsRequest,
): Promise<Execution> {
  // Whatever the account is: one transaction of one call is all or nothing.
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

/** Whether accounts can be upgraded, by the settings and by the chain. */
export async function supportsUpgrades(
  node: DevelopmentNode,
  { supports7702 }: Settings,
  account: string,
): Promise<boolean> {
  return supports7702 && (await knows7702(node, account));
}
