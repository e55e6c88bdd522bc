import { id, zeroPadValue } from "ethers";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { searchEvents } from "./searchEvents.ts";

/** The blocks in which signers were added to the allowlist, as far back as they were searched. */
export interface Additions {
  /** Signer → the last block in which it was added. */
  readonly blocks: ReadonlyMap<string, number>;
  /** The earliest block that was searched. */
  readonly searchedFrom: number;
}

/**
 * Searches for the events that added the signers until it finds all, as {@link searchEvents} does.
 *
 * @param options.progress Called after each answer with the earliest block searched.
 */
export async function findAdditions(
  node: Eip1193Connection,
  options: {
    registry: string;
    signers: readonly string[];
    fromBlock?: number | undefined;
    progress?: (searchedFrom: number) => void;
  },
): Promise<Additions> {
  const { registry, signers, fromBlock, progress } = options;
  const latest = Number(await node.request({ method: "eth_blockNumber" }));
  const blocks = new Map<string, number>();
  if (signers.length === 0) return { blocks, searchedFrom: latest + 1 };
  const topics = [[id("SignerAdded(address)")], signers.map((signer) => zeroPadValue(signer, 32))];
  let searchedFrom = latest + 1;
  for await (const found of searchEvents(node, { address: registry, topics, latest, fromBlock })) {
    searchedFrom = found.searchedFrom;
    progress?.(searchedFrom);
    for (const { topics, blockNumber } of found.events) {
      const signer = signers.find(
        (each) => topics[1]?.toLowerCase() === zeroPadValue(each, 32).toLowerCase(),
      );
      if (signer !== undefined) blocks.set(signer, Math.max(blocks.get(signer) ?? 0, Number(blockNumber)));
    }
    if (blocks.size === signers.length) break;
  }
  return { blocks, searchedFrom };
}
