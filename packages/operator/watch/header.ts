import { ChainUnavailableError } from "@hardhat-identity/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";

/** A block by its number and hash. */
export interface BlockName {
  readonly number: number;
  readonly hash: string;
}

/** A block, as its node tells it. */
export interface Header extends BlockName {
  readonly parentHash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** 256 bytes hex; `undefined` if the node does not tell it. */
  readonly logsBloom: string | undefined;
  /** The hashes of its transactions. */
  readonly transactions: readonly string[];
}

/** A tag, a number, or a hash. */
export type BlockId = "latest" | "safe" | "finalized" | number | `0x${string}`;

/** Reads a block; `undefined` if the node does not have it. */
export async function readHeader(node: Eip1193Connection, block: BlockId): Promise<Header | undefined> {
  const isHash = String(block).startsWith("0x");
  const found = await node.request({
    method: isHash ? "eth_getBlockByHash" : "eth_getBlockByNumber",
    params: [typeof block === "number" ? toQuantity(block) : block, false],
  });
  if (found === null) return undefined;
  const { number, hash, parentHash, timestamp, logsBloom, transactions } = membersOf(found);
  const header = {
    number: Number(number),
    hash: String(hash).toLowerCase(),
    parentHash: String(parentHash).toLowerCase(),
    timestamp: Number(timestamp),
    logsBloom: typeof logsBloom === "string" ? logsBloom : undefined,
    transactions: Array.isArray(transactions) ? transactions.map(String) : [],
  };
  const isAnother = typeof block === "number" ? header.number !== block : isHash && header.hash !== block;
  if (isAnother || !Number.isSafeInteger(header.number) || !Number.isSafeInteger(header.timestamp)) {
    throw new ChainUnavailableError(`The node answered with another block than the requested ${block}.`);
  }
  return header;
}

/** Reads a block that the node must have. */
export async function demandHeader(node: Eip1193Connection, block: BlockId): Promise<Header> {
  const header = await readHeader(node, block);
  if (header !== undefined) return header;
  throw new ChainUnavailableError(
    block === "latest" ? "The node has no latest block." : `The node lags: it lacks the block ${block}.`,
  );
}
