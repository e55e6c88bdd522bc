import { toQuantity } from "ethers";
import { type Chain, ChainUnavailableError } from "../../../chain/connect.ts";
import { checksumAddress } from "../../../protocol/address.ts";
import { readHeader } from "./header.ts";

/** An event on the chain. */
export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly block: number;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly index: number;
}

interface Filter {
  readonly address?: string;
  readonly topics: readonly string[];
}

export type ReadLogs = ReturnType<typeof logReader>;

/** Blocks per request: at first, and at most. Public endpoints allow from ten to ten thousand. */
const [firstSpan, maxSpan] = [2_000, 10_000];

/**
 * Reads events in ranges that the node accepts, in order: after each failure half as many blocks, after each answer twice
 * as many.
 *
 * @throws ChainUnavailableError when it fails for a single block, does not have a block of a range, or answers what it
 * was not asked.
 */
export function logReader(chain: Chain) {
  let span = firstSpan;

  async function readRange({ address, topics }: Filter, from: number, to: number) {
    // In one batch, so that both answers come from one node behind a balancer: one that lags has no logs, and no such block.
    const node = chain.open();
    const [logs, last] = await Promise.all([
      node.request({
        method: "eth_getLogs",
        params: [
          {
            ...(address !== undefined && { address }),
            topics: [topics],
            fromBlock: toQuantity(from),
            toBlock: toQuantity(to),
          },
        ],
      }),
      readHeader(node, to),
    ]);
    return { logs, last };
  }

  return async function* read(filter: Filter, from: number, to: number) {
    let start = from;
    while (start <= to) {
      const end = Math.min(to, start + span - 1);
      let found: Awaited<ReturnType<typeof readRange>>;
      try {
        found = await readRange(filter, start, end);
      } catch (error) {
        // What a node says when a range has too many blocks or events differs, and some just take too long.
        if (!(error instanceof ChainUnavailableError) || end === start) throw error;
        span = Math.ceil((end - start + 1) / 2);
        continue;
      }
      const { last } = found;
      if (last === undefined) throw new ChainUnavailableError(`The node lags: it has no block ${end} yet.`);
      const logs = parseLogs(found.logs);
      if (logs.some(({ block }) => block < start || block > end)) {
        throw new ChainUnavailableError("The node answered eth_getLogs with events of other blocks.");
      }
      const isAsked = ({ address, topics: [topic = ""] }: Log) =>
        filter.topics.includes(topic) && (filter.address === undefined || address === filter.address);
      yield { from: start, last, logs: logs.filter(isAsked) };
      start = end + 1;
      span = Math.min(2 * span, maxSpan);
    }
  };
}

function parseLogs(answer: unknown): Log[] {
  if (!Array.isArray(answer))
    throw new ChainUnavailableError("The node did not answer eth_getLogs with logs.");
  return answer.map((log: Record<string, unknown>) => {
    const parsed = {
      address: checksumAddress(String(log.address)),
      topics: Array.isArray(log.topics) ? log.topics.map((topic) => String(topic).toLowerCase()) : [],
      block: Number(log.blockNumber),
      blockHash: String(log.blockHash).toLowerCase(),
      transactionHash: String(log.transactionHash).toLowerCase(),
      index: Number(log.logIndex),
    };
    if (!Number.isSafeInteger(parsed.block) || !Number.isSafeInteger(parsed.index)) {
      throw new ChainUnavailableError("The node answered eth_getLogs with an event of no block.");
    }
    return parsed;
  });
}
