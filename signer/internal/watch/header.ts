import { toQuantity } from "ethers";
import { type Chain, ChainUnavailableError } from "../../../chain/connect.ts";
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

/** Reads a block by its number or tag; `undefined` if the node does not have it. */
export async function readHeader(
  node: Eip1193Connection,
  block: number | "latest" | "safe",
): Promise<Header | undefined> {
  const asked = typeof block === "number" ? toQuantity(block) : block;
  const method = "eth_getBlockByNumber";
  const found = (await node.request({ method, params: [asked, false] })) as Record<string, unknown> | null;
  if (found === null) return undefined;
  const header = {
    number: Number(found.number),
    hash: String(found.hash).toLowerCase(),
    timestamp: Number(found.timestamp),
    logsBloom: typeof found.logsBloom === "string" ? found.logsBloom : undefined,
    transactions: Array.isArray(found.transactions) ? found.transactions.map(String) : [],
  };
  const isAnother = typeof block === "number" && header.number !== block;
  if (isAnother || !Number.isSafeInteger(header.number) || !Number.isSafeInteger(header.timestamp)) {
    throw new ChainUnavailableError(`The node answered ${method} for ${block} with another block.`);
  }
  return header;
}

/** Blocks in one batch. */
const batch = 16;

/** Reads blocks, batch by batch. */
export async function* readHeaders(chain: Chain, numbers: readonly number[]): AsyncGenerator<Header> {
  for (let at = 0; at < numbers.length; at += batch) {
    const node = chain.open();
    const asked = numbers.slice(at, at + batch);
    const headers = await Promise.all(asked.map((number) => readHeader(node, number)));
    for (const [index, header] of headers.entries()) {
      if (header === undefined) throw new ChainUnavailableError(`The node lacks the block ${asked[index]}.`);
      yield header;
    }
  }
}
