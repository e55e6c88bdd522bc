import type { Eip1193Connection } from "../eip1193.ts";
import { membersOf } from "../json.ts";
import { readRpcError } from "../rpcError.ts";
import { type Chain, ChainUnavailableError } from "./connect.ts";

/**
 * Whether the node is a development node: it answers `hardhat_metadata` or `anvil_nodeInfo`. Neither a chain id nor a
 * loopback address proves that.
 *
 * @throws ChainUnavailableError, or the connection's own error, when the node cannot be asked.
 */
export async function isLocalNode(node: Eip1193Connection): Promise<boolean> {
  const answers = await Promise.all(
    ["hardhat_metadata", "anvil_nodeInfo"].map((method) => askForObject(node, method)),
  );
  return answers.some((answer) => answer !== undefined);
}

/**
 * Reads what tells one run of a local node from the next: hex, which also changes when the node is reset.
 *
 * @returns An empty string if the node has no such id; `undefined` if it is not local.
 * @throws As {@link isLocalNode} does.
 */
export async function readLocalInstance(node: Eip1193Connection): Promise<string | undefined> {
  if (!(await isLocalNode(node))) return undefined;
  for (const method of ["hardhat_metadata", "anvil_metadata"]) {
    const { instanceId } = membersOf(await askForObject(node, method)) as { instanceId?: unknown };
    if (typeof instanceId === "string" && /^0x[0-9a-f]{8,}$/i.test(instanceId)) return instanceId;
  }
  return "";
}

async function askForObject(node: Eip1193Connection, method: string): Promise<object | undefined> {
  try {
    const answer = await node.request({ method });
    return typeof answer === "object" && answer !== null ? answer : undefined;
  } catch (error) {
    if (error instanceof ChainUnavailableError) {
      if (!error.refused) throw error;
      // Not the node's own code (-1 is Hardhat's): a node that is away must not pass for one that is not local.
    } else if ((readRpcError(error).code ?? -1) === -1) await node.request({ method: "eth_chainId" });
    return undefined;
  }
}

/**
 * Like {@link isLocalNode}, but asks at most once a minute.
 *
 * @param believedFor Milliseconds; another node may take the place of the one that was asked.
 */
export function watchLocality(chain: Chain, believedFor = 60_000): () => Promise<boolean> {
  let known: { answer: Promise<boolean>; since: number } | undefined;
  return () => {
    if (known !== undefined && performance.now() - known.since < believedFor) return known.answer;
    const asked = { answer: isLocalNode(chain.open()), since: performance.now() };
    known = asked;
    asked.answer.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked.answer;
  };
}
