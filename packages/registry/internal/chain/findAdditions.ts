import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { id, zeroPadValue } from "ethers";
import { type SearchRange, searchEvents } from "./searchEvents.ts";

/** The blocks in which signers were added to the allowlist, as far back as they were searched. */
export interface Additions {
  /** Signer → the last block in which it was added. */
  readonly blocks: ReadonlyMap<string, number>;
  /** The earliest block that was searched. */
  readonly searchedFrom: number;
}

/** Searches for the events that added the signers until it finds all, as {@link searchEvents} does. */
export async function findAdditions(
  node: Eip1193Connection,
  { registry, signers, ...range }: SearchRange & { registry: string; signers: readonly string[] },
): Promise<Additions> {
  const blocks = new Map<string, number>();
  const topics = [[id("SignerAdded(address)")], signers.map((signer) => zeroPadValue(signer, 32))];
  const searchedFrom = await searchEvents(node, { ...range, address: registry, topics }, (events) => {
    for (const { topics, blockNumber } of events) {
      const signer = signers.find(
        (each) => topics[1]?.toLowerCase() === zeroPadValue(each, 32).toLowerCase(),
      );
      if (signer !== undefined) blocks.set(signer, Math.max(blocks.get(signer) ?? 0, Number(blockNumber)));
    }
    return blocks.size === signers.length;
  });
  return { blocks, searchedFrom };
}
