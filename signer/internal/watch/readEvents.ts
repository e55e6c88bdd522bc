import { id, toQuantity } from "ethers";
import { ChainUnavailableError } from "../../../chain/connect.ts";
import { checksumAddress } from "../../../protocol/address.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { type BlockId, demandHeader, type Header, readHeader } from "./header.ts";

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
  /** The transaction's place in its block. */
  readonly transactionIndex: number;
}

/** The events of some contracts or, without addresses, of any. */
export interface Filter {
  readonly addresses?: readonly string[];
  readonly topics: readonly string[];
}

/** The answer for a range of blocks: its last block, and its events or why the node refused them, filter by filter. */
export interface RangeEvents {
  readonly last: Header;
  readonly found: readonly (Log[] | ChainUnavailableError)[];
}

/** A range of blocks, and its last one by its hash where that is known. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly end: BlockId;
}

/** Addresses in one query. */
const maxAddresses = 500;

/** Splits the filter of many addresses into some that nodes take. */
export function splitFilter({ addresses = [], topics }: Required<Filter>): Filter[] {
  const count = Math.ceil(addresses.length / maxAddresses);
  return Array.from({ length: count }, (_, i) => ({
    addresses: addresses.slice(i * maxAddresses, (i + 1) * maxAddresses),
    topics,
  }));
}

/**
 * Reads the events of a range together with its last block, in one batch: a node that lags has no logs, and no such block.
 *
 * @throws ChainUnavailableError when the node lags, fails, or answers what it was not asked.
 */
export async function readRange(
  node: Eip1193Connection,
  filters: readonly Filter[],
  { from, to, end }: Range,
): Promise<RangeEvents> {
  const settled = await Promise.allSettled([
    readHeader(node, end),
    ...filters.map(({ addresses, topics }) =>
      node.request({
        method: "eth_getLogs",
        params: [
          {
            ...(addresses !== undefined && { address: addresses }),
            topics: [topics],
            fromBlock: toQuantity(from),
            toBlock: toQuantity(to),
          },
        ],
      }),
    ),
  ]);
  const [header, ...answers] = settled;
  if (header?.status !== "fulfilled") throw header?.reason;
  const last = demandHeader(end, header.value as Header | undefined);
  const found = answers.map((answer, i) => {
    if (answer.status === "fulfilled") {
      const logs = parseLogs(answer.value, filters[i] as Filter);
      const isWrong = ({ block, blockHash }: Log) =>
        block < from || block > to || (block === last.number && blockHash !== last.hash);
      if (!logs.some(isWrong)) return logs;
      throw new ChainUnavailableError("The node answered eth_getLogs with events of other blocks.");
    }
    if (answer.reason instanceof ChainUnavailableError) return answer.reason;
    throw answer.reason;
  });
  return { last, found };
}

/** Reads logs as nodes answer them, those that a filter asks for, without duplicates. */
export function parseLogs(answer: unknown, { addresses, topics }: Filter): Log[] {
  if (!Array.isArray(answer))
    throw new ChainUnavailableError("The node did not answer eth_getLogs with logs.");
  const wanted = addresses && new Set(addresses);
  const logs = answer.flatMap((found: Record<string, unknown>): Log[] => {
    const named = Array.isArray(found.topics) ? found.topics.map((topic) => String(topic).toLowerCase()) : [];
    if (!topics.includes(named[0] ?? "")) return [];
    const log = {
      address: checksumAddress(String(found.address)),
      topics: named,
      block: Number(found.blockNumber),
      blockHash: String(found.blockHash).toLowerCase() as `0x${string}`,
      transactionHash: String(found.transactionHash).toLowerCase(),
      transactionIndex: Number(found.transactionIndex),
    };
    if (!Number.isSafeInteger(log.block) || !/^0x[\da-f]{64}$/.test(log.blockHash))
      throw new ChainUnavailableError("The node answered eth_getLogs with an event of no block.");
    return found.removed === true || wanted?.has(log.address) === false ? [] : [log];
  });
  return [...new Map(logs.map((log) => [nameOf(log), log])).values()];
}

/** Names an event by what it says: the same twice in a transaction is one claim. */
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
