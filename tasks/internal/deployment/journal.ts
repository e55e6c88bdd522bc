import { existsSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import { listTransactions, status, TransactionStatus } from "@nomicfoundation/ignition-core";
import { isLocalNode } from "../../../chain/localNode.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";

/** The Ignition journal of a deployment. */
export interface JournalChoice {
  /** Name of the folder below `deployments/`. If it is missing, Ignition chooses it. */
  readonly deploymentId: string | undefined;
  /** Whether Ignition clears the journal first. */
  readonly reset: boolean;
}

/** Prefix of the journals of local nodes. Such a journal is useless once its node has stopped. */
const localPrefix = "local-";

/** The chain whose journals Ignition itself resets for every node. */
const hardhatChainId = 31337;

/**
 * Chooses the journal of a deployment. A local node must not write to or reset the journal of a public chain, and a
 * local deployment must not count as done on a public chain. Sets the journal of a local node that no longer runs aside,
 * under another name.
 *
 * @param given The options of `ignition deploy`.
 * @param ignitionFolder The folder that contains `deployments/`.
 * @param show Called with a sentence that names the journal of a local node's deployment.
 * @throws InvalidInputError if the journal is of another node. It says how that shows and what to do.
 */
export async function chooseJournal(
  node: Eip1193Connection,
  given: JournalChoice,
  ignitionFolder: string,
  show: (sentence: string) => void,
): Promise<JournalChoice> {
  const chainId = await readChainId(node);
  const isLocal = await isLocalNode(node);
  const usual = isLocal && chainId !== hardhatChainId ? `${localPrefix}${chainId}` : `chain-${chainId}`;
  const deploymentId = given.deploymentId || usual;
  const folder = journalFolder(ignitionFolder, deploymentId);

  if (isLocal && deploymentId.startsWith("chain-") && deploymentId !== usual) {
    throw new InvalidInputError(
      `${folder} is the journal of a public chain, and this is a local node. Leave --deployment-id out (then it is ${usual}), or choose one that begins with "${localPrefix}".`,
    );
  }
  if (!isLocal && deploymentId.startsWith(localPrefix)) {
    throw new InvalidInputError(
      `A --deployment-id that begins with "${localPrefix}" is for local nodes, and this node is not one. Leave it out (then it is ${usual}), or choose another.`,
    );
  }
  const problem = await findMismatch(node, folder);
  const choice = { deploymentId, reset: given.reset };
  if (isLocal) show(`This is a local node; its deployment is journalled in ${folder}.`);
  // Ignition itself asks before it resets the journal of a public chain.
  if (problem === undefined || (!isLocal && given.reset)) return choice;
  if (!isLocal) {
    throw new InvalidInputError(
      `${problem} If it was made on a local node or a fork, start it afresh with --reset, or keep it and choose another with --deployment-id.`,
    );
  }
  if (!deploymentId.startsWith(localPrefix) && deploymentId !== usual) {
    throw new InvalidInputError(
      `${problem} It may be a public chain's, so --reset leaves it alone here. Leave --deployment-id out (then it is ${usual}), choose one that begins with "${localPrefix}", or remove the folder if its node is gone.`,
    );
  }
  const aside = findFreeName(folder);
  renameSync(folder, aside);
  show(`The journal there, of a node that no longer runs, is now ${aside}.`);
  return { deploymentId, reset: false };
}

/** Checks that a journal belongs to a node. */
export async function requireMatch(
  node: Eip1193Connection,
  deploymentId: string,
  ignitionFolder: string,
): Promise<void> {
  const problem = await findMismatch(node, journalFolder(ignitionFolder, deploymentId));
  if (problem !== undefined) throw new InvalidInputError(`${problem} Name the right network with --network.`);
}

/** Returns `<folder>-1`, or the first such name that is free. */
function findFreeName(folder: string): string {
  let count = 1;
  while (existsSync(`${folder}-${count}`)) count++;
  return `${folder}-${count}`;
}

/** Returns the journal's folder relative to the working directory, for messages. */
export function journalFolder(ignitionFolder: string, deploymentId: string): string {
  return relative(process.cwd(), join(ignitionFolder, "deployments", deploymentId));
}

/** Describes in a sentence how a journal differs from the node; `undefined` if it matches or there is no journal. */
async function findMismatch(node: Eip1193Connection, folder: string): Promise<string | undefined> {
  if (!existsSync(join(folder, "journal.jsonl"))) return undefined;
  const { chainId, contracts } = await status(folder);
  const nodeChainId = await readChainId(node);
  if (chainId !== nodeChainId) {
    return `${folder} is the journal of chain ${chainId}, and this node is on chain ${nodeChainId}.`;
  }
  for (const { id, address } of Object.values(contracts)) {
    if ((await node.request({ method: "eth_getCode", params: [address, "latest"] })) === "0x") {
      return `${folder} is not this node's journal: it records ${id} at ${address}, where the node has no code.`;
    }
  }
  // A new local node gives the same addresses to other contracts, so compare the transactions, too. A node of a public
  // chain may have pruned old transactions.
  if (!(await isLocalNode(node))) return undefined;
  for (const { txHash, status } of await listTransactions(folder, noArtifacts)) {
    if (status === TransactionStatus.DROPPED) continue;
    if ((await node.request({ method: "eth_getTransactionByHash", params: [txHash] })) === null) {
      return `${folder} is not this node's journal: it records transaction ${txHash}, which the node does not know.`;
    }
  }
  return undefined;
}

/** Where Ignition requires a resolver and does not use it. */
export const noArtifacts = {
  loadArtifact: (name: string) => Promise.reject(new Error(`No artifact is read for ${name}.`)),
  getBuildInfo: async () => undefined,
};

async function readChainId(node: Eip1193Connection): Promise<number> {
  return Number(await node.request({ method: "eth_chainId" }));
}
