import { toQuantity } from "ethers";
import { ChainUnavailableError } from "../../../chain/connect.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { Call, PacedNode } from "./node.ts";

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

const headerCall = (block: BlockId): Call =>
  String(block).startsWith("0x")
    ? { method: "eth_getBlockByHash", params: [block, false] }
    : {
        method: "eth_getBlockByNumber",
        params: [typeof block === "number" ? toQuantity(block) : block, false],
      };

/** Reads a block; `undefined` if the node does not have it. */
export async function readHeader(node: Eip1193Connection, block: BlockId): Promise<Header | undefined> {
  return parseHeader(block, await node.request(headerCall(block)));
}

/** Reads blocks, each of which the node must have. */
export async function readHeaders(node: PacedNode, blocks: readonly BlockId[]): Promise<Header[]> {
  const answers = await node.askEach(blocks.map(headerCall));
  return blocks.map((block, i) => demandHeader(block, parseHeader(block, answers[i])));
}

export function demandHeader(block: BlockId, header: Header | undefined): Header {
  if (header !== undefined) return header;
  throw new ChainUnavailableError(`The node lags: it lacks the block ${block}.`);
}

function parseHeader(block: BlockId, found: unknown): Header | undefined {
  if (found === null) return undefined;
  const { number, hash, parentHash, timestamp, logsBloom, transactions } = Object(found);
  const header = {
    number: Number(number),
    hash: String(hash).toLowerCase(),
    parentHash: String(parentHash).toLowerCase(),
    timestamp: Number(timestamp),
    logsBloom: typeof logsBloom === "string" ? logsBloom : undefined,
    transactions: Array.isArray(transactions) ? transactions.map(String) : [],
  };
  const isAnother =
    typeof block === "number" ? header.number !== block : block.startsWith("0x") && header.hash !== block;
  if (isAnother || !Number.isSafeInteger(header.number) || !Number.isSafeInteger(header.timestamp)) {
    throw new ChainUnavailableError(
      `The node answered with another block than ${block}, which it was asked for.`,
    );
  }
  return header;
}
