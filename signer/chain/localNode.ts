import type { Eip1193Provider } from "../../protocol/eip1193.ts";
import { type ChainNode, ChainUnavailableError } from "./node.ts";

/**
 * Whether the node is a development node: it answers `hardhat_metadata` or `anvil_nodeInfo`. Neither a chain id nor a
 * loopback address proves that.
 *
 * @throws ChainUnavailableError when the node cannot be asked.
 */
export async function isLocalNode(provider: Eip1193Provider): Promise<boolean> {
  const answers = await Promise.all(
    ["hardhat_metadata", "anvil_nodeInfo"].map((method) => answersWithObject(provider, method)),
  );
  return answers.includes(true);
}

async function answersWithObject(provider: Eip1193Provider, method: string): Promise<boolean> {
  try {
    const answer = await provider.request({ method });
    return typeof answer === "object" && answer !== null;
  } catch (error) {
    if (error instanceof ChainUnavailableError && !error.refused) throw error;
    return false;
  }
}

/**
 * Like {@link isLocalNode}, but asks once a minute only.
 *
 * @param believedFor Milliseconds; another node may take the place of the one that was asked.
 */
export function watchLocality(node: ChainNode, believedFor = 60_000): () => Promise<boolean> {
  let known: { answer: Promise<boolean>; since: number } | undefined;
  return () => {
    if (known !== undefined && performance.now() - known.since < believedFor) return known.answer;
    const asked = { answer: isLocalNode(node.open()), since: performance.now() };
    known = asked;
    asked.answer.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked.answer;
  };
}
