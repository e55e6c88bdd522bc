import { ChainUnavailableError } from "@hardhat-identity/chain/connect";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";
import { id } from "ethers";
import { type BlockId, demandHeader, type Header } from "./header.ts";
import { readReceipts } from "./receipts.ts";
import { callMs, type Share } from "./share.ts";

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
  readonly blockHash: `0x${string}`;
  readonly transactionHash: string;
  /** The time of its block, unix seconds, once it was read. */
  time?: number | undefined;
}

/** The events of some contracts or, without addresses, of any. */
export interface Filter {
  readonly addresses?: readonly string[];
  readonly topics: readonly string[];
}

/** A range of blocks, and its last one by its hash where that is known. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly end: BlockId;
}

/** Nodes that cut an answer off without a word do so after a round number of events. */
const roundCount = 1_000;

/**
 * Reads the events of a range together with its last block, in one batch: a node that lags has no logs, and no such block.
 *
 * @param end The last block, where it is asked for in the same turn of the event loop.
 * @throws ChainUnavailableError when the node lags, fails, or answers what it was not asked.
 */
export async function readLogs(
  node: Eip1193Connection,
  filter: Filter,
  range: Range,
  end = demandHeader(node, range.end),
): Promise<{ last: Header; logs: Log[] }> {
  const { from, to } = range;
  const params = {
    topics: [filter.topics],
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
    ...(filter.addresses && { address: filter.addresses }),
  };
  const [header, answer] = await Promise.allSettled([
    end,
    node.request({ method: "eth_getLogs", params: [params] }),
  ]);
  if (header.status === "rejected") throw header.reason;
  if (answer.status === "rejected") throw answer.reason;
  const last = header.value;
  if (!Array.isArray(answer.value))
    throw new ChainUnavailableError("The node did not answer eth_getLogs with logs.");
  if (answer.value.length > 0 && answer.value.length % roundCount === 0) {
    const problem = `The node answered eth_getLogs with ${answer.value.length} events, which may not be all.`;
    throw new ChainUnavailableError(problem, { limit: "size" });
  }
  const logs = parseLogs(answer.value, filter);
  const isWrong = ({ block, blockHash }: Log) =>
    block < from || block > to || (block === last.number && blockHash !== last.hash);
  if (!logs.some(isWrong)) return { last, logs };
  throw new ChainUnavailableError("The node answered eth_getLogs with events of other blocks.");
}

/** Whether a node would answer if it were asked for less. */
export const isTooMuch = (error: unknown): error is ChainUnavailableError =>
  error instanceof ChainUnavailableError && (error.refused || error.limit === "size");

/** How far to go where one answer does not take all events. */
export interface Limits {
  /** The share for the receipts and, without addresses, for all questions. */
  readonly share: Share;
  /** Called where events are left out, with a sentence why. */
  readonly onLeft: (filter: Filter, range: Range, problem: string) => void;
}

/**
 * Reads events, too, that one answer does not take: of half the blocks at a time, then of half the contracts, then from the
 * block's receipts.
 *
 * @param first The first answer, where it was asked for already.
 */
export async function readInParts(
  node: Eip1193Connection,
  filter: Filter,
  range: Range,
  limits: Limits,
  first = readLogs(node, filter, range),
): Promise<Log[]> {
  const { share, onLeft } = limits;
  const { addresses } = filter;
  try {
    return (await first).logs;
  } catch (error) {
    if (!isTooMuch(error) || (addresses === undefined && error.limit !== "size")) throw error;
    if (addresses === undefined && !share.take(3 * callMs)) {
      onLeft(filter, range, error.message);
      return [];
    }
  }
  const { from, to, end } = range;
  const parts: [Filter, Range][] = [];
  if (from < to) {
    const middle = Math.floor((from + to) / 2);
    parts.push([filter, { from, to: middle, end: middle }], [filter, { from: middle + 1, to, end }]);
  } else if (addresses !== undefined && addresses.length > 1) {
    const half = Math.ceil(addresses.length / 2);
    parts.push([{ topics: filter.topics, addresses: addresses.slice(0, half) }, range]);
    parts.push([{ topics: filter.topics, addresses: addresses.slice(half) }, range]);
  } else {
    const found = await readReceipts(node, await demandHeader(node, end), share);
    if (found !== undefined) return parseLogs(found, filter);
    onLeft(filter, range, "The block has more events than the node gives.");
  }
  const logs: Log[] = [];
  for (const [each, within] of parts) {
    for (const log of await readInParts(node, each, within, limits)) logs.push(log);
  }
  return logs;
}

/** Reads logs as nodes answer them, those that a filter asks for, without duplicates. */
export function parseLogs(found: readonly unknown[], { addresses, topics }: Filter): Log[] {
  const wanted = addresses && new Set(addresses);
  const logs = new Map<string, Log>();
  for (const each of found) {
    const { address, topics: named, blockNumber, blockHash, transactionHash, removed } = membersOf(each);
    const log = {
      address: checksumAddress(String(address)),
      topics: [named].flat().map((topic) => String(topic).toLowerCase()),
      block: Number(blockNumber),
      blockHash: String(blockHash).toLowerCase() as `0x${string}`,
      transactionHash: String(transactionHash).toLowerCase(),
    };
    if (!topics.includes(log.topics[0] ?? "") || wanted?.has(log.address) === false || removed) continue;
    if (!Number.isSafeInteger(log.block) || !/^0x[\da-f]{64}$/.test(log.blockHash))
      throw new ChainUnavailableError("The node answered eth_getLogs with an event that has no block.");
    logs.set(nameOf(log), log);
  }
  return [...logs.values()];
}

/** Names an event by its content: the same event twice in a transaction is one claim. */
export const nameOf = ({ blockHash, transactionHash, address, topics }: Log): string =>
  `${blockHash} ${transactionHash} ${address} ${topics}`;

/** Blocks per request: at first, and at most. Providers allow from five to ten thousand. */
const [firstSpan, maxSpan] = [2_000, 10_000];

/** Milliseconds after which a longer range than was refused is tried. */
const forgetMs = 1_800_000;

/** Learns how many blocks the node allows in a range, by halving what lies between what it took and what it refused. */
export function learnSpan() {
  let [size, taken, refused, at] = [firstSpan, 0, maxSpan + 1, 0];
  return {
    next(): number {
      if (performance.now() - at > forgetMs) refused = maxSpan + 1;
      return size;
    },
    take(blocks: number): void {
      taken = Math.max(taken, blocks);
      if (blocks < size) return;
      size =
        refused > maxSpan ? Math.min(2 * size, maxSpan) : Math.max(taken, Math.floor((taken + refused) / 2));
    },
    refuse(blocks: number): void {
      [refused, at] = [Math.min(refused, blocks), performance.now()];
      taken = Math.min(taken, blocks - 1);
      size = Math.max(1, Math.floor((taken + blocks) / 2));
    },
  };
}
