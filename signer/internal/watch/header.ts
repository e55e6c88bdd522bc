import { toQuantity } from "ethers";
import { ChainUnavailableError } from "../../../chain/connect.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";

/** A block, as its node tells it. */
export interface Header {
  readonly number: number;
  readonly hash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** 256 bytes hex; `undefined` if the node does not tell it. */
  readonly logsBloom: string | undefined;
  /** The hashes of its transactions. */
  readonly transactions: readonly string[];
}

/** Reads a block by its number, hash or tag; `undefined` if the node does not have it. */
export async function readHeader(
  node: Eip1193Connection,
  block: number | string,
): Promise<Header | undefined> {
  const isHash = typeof block === "string" && block.length === 66;
  const method = isHash ? "eth_getBlockByHash" : "eth_getBlockByNumber";
  const asked = typeof block === "number" ? toQuantity(block) : block;
  const found = (await node.request({ method, params: [asked, false] })) as Record<string, unknown> | null;
  if (found === null) return undefined;
  const header = {
    number: Number(found.number),
    hash: String(found.hash).toLowerCase(),
    timestamp: Number(found.timestamp),
    logsBloom: typeof found.logsBloom === "string" ? found.logsBloom : undefined,
    transactions: Array.isArray(found.transactions) ? found.transactions.map(String) : [],
  };
  const isAnother =
    (typeof block === "number" && header.number !== block) || (isHash && header.hash !== block.toLowerCase());
  if (isAnother || !Number.isSafeInteger(header.number) || !Number.isSafeInteger(header.timestamp)) {
    throw new ChainUnavailableError(`The node answered ${method} for ${block} with another block.`);
  }
  return header;
}
