import { checksumAddress, isAddress } from "@hardhat-identity/protocol/address";
import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type Hex, toQuantity } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";
import { id } from "ethers";
import { type BlockId, type Header, requireHeader } from "./header.ts";
import { isTooMuch } from "./node.ts";
import { readReceipts } from "./receipts.ts";
import { callMs, type Share, unlimited } from "./shares.ts";

/** The topic of a consumer's event that it has used an identity. */
export const identityUsed = id("IdentityUsed(bytes32,bytes32)");
/** The topics of a registry's events. */
export const [signerAdded, signerRemoved] = [id("SignerAdded(address)"), id("SignerRemoved(address)")];

/** An event on the chain. No use is made of its index, which some nodes count for each transaction. */
export interface Log {
  /** EIP-55 checksummed. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly block: number;
  readonly blockHash: Hex;
  readonly transactionHash: string;
  /** When it was read, as `performance.now()` tells. */
  readAt: number;
  /** The time of its block, unix seconds, once that is known. */
  time?: number | undefined;
}

/** A question for events of a range of blocks. */
export interface Query {
  /** The contracts; any if left out. */
  readonly addresses?: readonly string[] | undefined;
  readonly topics: readonly string[];
  readonly from: number;
  readonly to: number;
  /** The last block, by its hash where that is known. */
  readonly end: BlockId;
}

/** Nodes that cut an answer off without a word do so after a round number of events. */
const roundCount = 1_000;

/**
 * Reads the events of a range together with its last block, in one batch: a node that lags has no logs, and no such block.
 *
 * @throws ChainUnavailableError when the node lags, fails, or answers what it was not asked.
 */
export async function readLogs(node: Eip1193Connection, query: Query): Promise<Log[]> {
  const { addresses: address, topics, from, to, end } = query;
  const params = [{ address, topics: [topics], fromBlock: toQuantity(from), toBlock: toQuantity(to) }];
  const [block, logsOfRange] = await Promise.allSettled([
    requireHeader(node, end),
    node.request({ method: "eth_getLogs", params }),
  ]);
  // First: a node that lags may refuse a range that ends after its newest block.
  if (block.status === "rejected") throw block.reason;
  if (logsOfRange.status === "rejected") throw logsOfRange.reason;
  const answer = logsOfRange.value;
  if (!Array.isArray(answer))
    throw new ChainUnavailableError("The node did not answer eth_getLogs with logs.");
  if (answer.length > 0 && answer.length % roundCount === 0) {
    const problem = `The node answered eth_getLogs with ${answer.length} events, which may not be all.`;
    throw new ChainUnavailableError(problem, { limit: "size" });
  }
  const logs = parseLogs(answer, query);
  requireBlocks(logs, [block.value]);
  if (logs.some(({ block }) => block < from || block > to)) throw otherBlocks();
  return logs;
}

const otherBlocks = () =>
  new ChainUnavailableError("The node answered eth_getLogs with events of other blocks.");

/** Checks events by the headers of their blocks, as far as these are known: an event of no block is never proved. */
export function requireBlocks(logs: readonly Log[], headers: readonly Header[]): void {
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]));
  if (logs.some(({ block, blockHash }) => (hashes.get(block) ?? blockHash) !== blockHash))
    throw otherBlocks();
}

/**
 * Reads events, too, that one answer does not take: of half the blocks at a time, then of half the contracts, then from the
 * block's receipts. Where a node refuses a range of named contracts, the caller asks for fewer blocks.
 *
 * @param limits.share The share for the receipts and, where no contracts are named, for all questions.
 * @param limits.named Contracts whose receipts are read whatever the share.
 * @param limits.onLeft Called where events are left out, with a sentence why.
 * @param first The first answer, where it was asked for already.
 */
export async function readInParts(
  node: Eip1193Connection,
  query: Query,
  limits: {
    readonly share: Share;
    readonly named?: ReadonlySet<string>;
    readonly onLeft: (query: Query, problem: string) => void;
  },
  first = readLogs(node, query),
): Promise<Log[]> {
  const { addresses, from, to, end } = query;
  const { share, named, onLeft } = limits;
  const isOfAll = addresses === undefined;
  try {
    return await first;
  } catch (error) {
    if (!isTooMuch(error) || (isOfAll ? error.limit !== "size" : from < to && error.refused)) throw error;
    if (isOfAll && !share.take(3 * callMs)) {
      onLeft(query, error.message);
      return [];
    }
  }
  const parts: Query[] = [];
  if (from < to) {
    const middle = Math.floor((from + to) / 2);
    parts.push({ ...query, to: middle, end: middle }, { ...query, from: middle + 1 });
  } else if (!isOfAll && addresses.length > 1) {
    const half = Math.ceil(addresses.length / 2);
    parts.push({ ...query, addresses: addresses.slice(0, half) });
    parts.push({ ...query, addresses: addresses.slice(half) });
  } else {
    const isNamed = addresses?.every((address) => named?.has(address));
    const header = await requireHeader(node, end);
    const found = await readReceipts(node, header, isNamed ? unlimited : share);
    if (found !== undefined) return parseLogs(found, query);
    onLeft(query, "The block has more events than the node gives.");
  }
  let logs: Log[] = [];
  for (const part of parts) logs = logs.concat(await readInParts(node, part, limits));
  return logs;
}

const isWord = (hex: string) => /^0x[\da-f]{64}$/.test(hex);

/** Reads logs as nodes answer them, those that a query asks for, without duplicates. */
function parseLogs(found: readonly unknown[], { addresses, topics }: Query): Log[] {
  const wanted = addresses && new Set(addresses);
  const logs = new Map<string, Log>();
  for (const each of found) {
    const { address, topics: named, blockNumber, blockHash, transactionHash, removed } = membersOf(each);
    const log = {
      address: checksumAddress(String(address)),
      topics: [named].flat().map((topic) => String(topic).toLowerCase()),
      block: Number(blockNumber),
      blockHash: String(blockHash).toLowerCase() as Hex,
      transactionHash: String(transactionHash).toLowerCase(),
      readAt: performance.now(),
    };
    // An event of no contract is no consumer's.
    if (!isAddress(log.address) || wanted?.has(log.address) === false) continue;
    if (!topics.includes(log.topics[0] ?? "") || removed) continue;
    if (!Number.isSafeInteger(log.block) || !isWord(log.blockHash))
      throw new ChainUnavailableError("The node answered eth_getLogs with an event that has no block.");
    if (!log.topics.every(isWord))
      throw new ChainUnavailableError("The node answered eth_getLogs with a topic that is not 32 bytes.");
    logs.set(nameOf(log), log);
  }
  return [...logs.values()];
}

/** Names an event by its content: the same event twice in a transaction is one claim. */
export const nameOf = ({ blockHash, transactionHash, address, topics }: Log): string =>
  `${blockHash} ${transactionHash} ${address} ${topics}`;
