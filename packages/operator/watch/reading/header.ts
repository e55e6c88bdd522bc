import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type Hex, toQuantity } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";

/** A block by its number and hash. */
export interface BlockName {
  readonly number: number;
  readonly hash: Hex;
}

/** A block, as its node tells it. */
export interface Header extends BlockName {
  readonly parentHash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** 256 bytes hex, if the node tells it. */
  readonly logsBloom: string;
  /** The hashes of its transactions. */
  readonly transactions: readonly unknown[];
}

/** A tag, a number, or a hash. */
export type BlockId = "latest" | "safe" | "finalized" | number | Hex;

/** Reads a block; `undefined` if the node does not have it. */
export async function readHeader(node: Eip1193Connection, block: BlockId): Promise<Header | undefined> {
  const isHash = String(block).startsWith("0x");
  const found = await node.request({
    method: isHash ? "eth_getBlockByHash" : "eth_getBlockByNumber",
    params: [typeof block === "number" ? toQuantity(block) : block, false],
  });
  if (found === null) return undefined;
  const { hash, parentHash, logsBloom, transactions, ...members } = membersOf(found);
  const [number, timestamp] = [Number(members.number), Number(members.timestamp)];
  const header = {
    number,
    hash: String(hash).toLowerCase() as Hex,
    parentHash: String(parentHash).toLowerCase(),
    timestamp,
    logsBloom: String(logsBloom),
    transactions: Array.isArray(transactions) ? transactions : [],
  };
  const isAnother = typeof block === "number" ? number !== block : isHash && header.hash !== block;
  if (isAnother || !Number.isSafeInteger(number) || !Number.isSafeInteger(timestamp))
    throw new ChainUnavailableError(`The node answered with another block than the requested ${block}.`);
  return header;
}

/** Reads a block that the node must have. */
export async function requireHeader(node: Eip1193Connection, block: BlockId): Promise<Header> {
  const header = await readHeader(node, block);
  if (header !== undefined) return header;
  throw new ChainUnavailableError(
    block === "latest" ? "The node has no latest block." : `The node lags: it lacks the block ${block}.`,
  );
}
