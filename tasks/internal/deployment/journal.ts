import { join, relative } from "node:path";
import { readLocalInstance } from "@hardhat-identity/protocol/chain/localNode";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";

/** The chain id of Hardhat's own network by default. Ignition itself ties this chain's journals to one run of a node. */
export const hardhatChainId = 31337;

/**
 * Chooses a local node's own journal, so that what is deployed there does not count as deployed on a public chain of the
 * same id, or on a local node that was started later.
 *
 * @returns Its name below `deployments/`; `undefined` to leave the choice to Ignition.
 */
export async function chooseLocalJournal(node: Eip1193Connection): Promise<string | undefined> {
  const instance = await readLocalInstance(node);
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  if (instance === undefined || chainId === hardhatChainId) return undefined;
  return ["local", chainId, instance.slice(2, 10)].filter((part) => part !== "").join("-");
}

/** Returns the journal's folder relative to the working directory, for messages. */
export function journalFolder(ignitionFolder: string, deploymentId: string): string {
  return relative(process.cwd(), join(ignitionFolder, "deployments", deploymentId));
}
