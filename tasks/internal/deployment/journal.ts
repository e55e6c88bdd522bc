import { existsSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { listTransactions, status, TransactionStatus } from "@nomicfoundation/ignition-core";
import { isLocalNode } from "../../../chain/localNode.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";

/** Which of Ignition's journals a deployment goes to. */
export interface JournalChoice {
  /** Name of the folder below `deployments/`; Ignition chooses where it is missing. */
  readonly deploymentId: string | undefined;
  /** Whether Ignition forgets what is in it first. */
  readonly reset: boolean;
}

/** How the names of journals of local nodes begin: such a journal is worth nothing once its node is gone. */
const localPrefix = "local-";

/** The chain whose journals Ignition itself starts afresh with every node. */
const hardhatChainId = 31337;

/**
 * Chooses the journal of a deployment, so that no local node writes to, or resets, that of a public chain, and no
 * public chain is taken for done by what a local node was told. The journal of a local node that is gone is removed.
 *
 * @param given What `ignition deploy` was told.
 * @param ignitionFolder Holds `deployments/`.
 * @param show Told, in a sentence, where a local node's deployment is journalled.
 * @throws InvalidInputError when the journal is not of this node, saying how that shows and what to do.
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
      `A --deployment-id that begins with "${localPrefix}" is a local node's, and this is none. Leave it out (then it is ${usual}), or choose another.`,
    );
  }
  const problem = await findMismatch(node, folder);
  const choice = { deploymentId, reset: given.reset };
  if (isLocal) show(`This is a local node; its deployment is journalled in ${folder}.`);
  // To reset the journal of a public chain is for Ignition to ask about.
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
  rmSync(folder, { recursive: true });
  show("What was in it, of a node that is gone, has been removed.");
  return { deploymentId, reset: false };
}

/**
 * Makes sure that a journal is of the node that is asked about it.
 *
 * @throws InvalidInputError saying how it shows that it is not.
 */
export async function requireMatch(
  node: Eip1193Connection,
  deploymentId: string,
  ignitionFolder: string,
): Promise<void> {
  const problem = await findMismatch(node, journalFolder(ignitionFolder, deploymentId));
  if (problem !== undefined) throw new InvalidInputError(`${problem} Name the right network with --network.`);
}

/** As a person at the terminal would name it. */
function journalFolder(ignitionFolder: string, deploymentId: string): string {
  return relative(process.cwd(), join(ignitionFolder, "deployments", deploymentId));
}

/** How it shows that a journal is not of this node, in a sentence; `undefined` where it is, or is none. */
async function findMismatch(node: Eip1193Connection, folder: string): Promise<string | undefined> {
  if (!existsSync(join(folder, "journal.jsonl"))) return undefined;
  const { chainId, contracts } = await status(folder);
  const nodeChainId = await readChainId(node);
  if (chainId !== nodeChainId) {
    return `${folder} is the journal of chain ${chainId}, and this node is on chain ${nodeChainId}.`;
  }
  for (const { id, address } of Object.values(contracts)) {
    if ((await node.request({ method: "eth_getCode", params: [address, "latest"] })) === "0x") {
      return `${folder} is not this node's journal: by it, ${id} is at ${address}, where the node has no code.`;
    }
  }
  // Local nodes give the same addresses again, to other contracts, too; a public chain's may forget old transactions.
  if (!(await isLocalNode(node))) return undefined;
  for (const { txHash, status } of await listTransactions(folder, noArtifacts)) {
    if (status === TransactionStatus.DROPPED) continue;
    if ((await node.request({ method: "eth_getTransactionByHash", params: [txHash] })) === null) {
      return `${folder} is not this node's journal: by it, transaction ${txHash} was sent, of which the node knows nothing.`;
    }
  }
  return undefined;
}

// Ignition wants one, and does not ask it.
const noArtifacts = {
  loadArtifact: (name: string) => Promise.reject(new Error(`No artifact is read for ${name}.`)),
};

async function readChainId(node: Eip1193Connection): Promise<number> {
  return Number(await node.request({ method: "eth_chainId" }));
}
