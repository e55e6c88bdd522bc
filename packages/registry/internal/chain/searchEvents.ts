import { setTimeout as delay } from "node:timers/promises";
import { isOverLimit } from "@hardhat-identity/protocol/chain/nodeProblem";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";

/** An event, as a node returns it. */
export interface FoundEvent {
  readonly topics: readonly string[];
  readonly data: string;
  /** Hex. */
  readonly blockNumber: string;
  readonly transactionHash: string;
}

/** Blocks per request, if a node refuses to search all at once. After each refusal, the next smaller number is used. */
const smallerSpans = [10_000, 1_000, 100, 10, 1];

/** Maximum number of requests if `fromBlock` is not given. */
const maxRequests = 500;

/** Times in a row that a node may say it was asked too often. */
const maxRefusals = 5;

/** Milliseconds to wait after the first time. */
const pauseMs = 1_000;

/** How far a search goes. */
export interface SearchRange {
  /** The earliest block to search. Defaults to as far back as 500 requests reach. */
  readonly fromBlock?: number | undefined;
  /** Called after each answer with the earliest block searched. */
  readonly progress?: (searchedFrom: number) => void;
}

/**
 * Searches for a contract's events, from the newest block backwards, until the caller has enough. The block of the
 * contract's deployment need not be known. Nodes limit the blocks per request; the first request asks for all.
 *
 * @param isEnough Called with no events before the first request, and with those of each answer.
 * @returns The earliest block that was searched.
 * @throws InvalidInputError if the node refuses to return the events of a single block.
 */
export async function searchEvents(
  node: Eip1193Connection,
  options: SearchRange & { address: string; topics: readonly (readonly string[])[] },
  isEnough: (events: readonly FoundEvent[]) => boolean | Promise<boolean>,
): Promise<number> {
  const { address, topics, fromBlock, progress } = options;
  const latest = Number(await node.request({ method: "eth_blockNumber" }));
  const earliest = fromBlock ?? 0;
  const spans = [latest - earliest + 1, ...smallerSpans];
  let searchedFrom = latest + 1;
  if (await isEnough([])) return searchedFrom;
  let refusals = 0;
  for (let requests = 0; fromBlock !== undefined || requests < maxRequests; requests++) {
    if (searchedFrom <= earliest) break;
    const start = Math.max(earliest, searchedFrom - (spans[0] ?? 1));
    const range = { fromBlock: toQuantity(start), toBlock: toQuantity(searchedFrom - 1) };
    let events: FoundEvent[];
    try {
      const params = [{ address, topics, ...range }];
      const answer = await node.request({ method: "eth_getLogs", params });
      // Some nodes answer null for what they have pruned. That is not "no events".
      if (!Array.isArray(answer)) throw new Error(`it answered ${JSON.stringify(answer)}`);
      events = answer as FoundEvent[];
    } catch (error) {
      const { code, message } = readRpcError(error);
      // Fewer blocks are as many requests, and more.
      if (isOverLimit(code, message) && refusals < maxRefusals) await delay(pauseMs * 2 ** refusals++);
      else narrow(spans, searchedFrom - start, address, error);
      continue;
    }
    refusals = 0;
    searchedFrom = start;
    progress?.(searchedFrom);
    if (await isEnough(events)) break;
  }
  return searchedFrom;
}

/** Reduces the blocks per request below the number that was refused. */
function narrow(spans: number[], refused: number, address: string, error: unknown): void {
  do spans.shift();
  while (spans.length > 0 && (spans[0] ?? 0) >= refused);
  if (spans.length > 0) return;
  throw new InvalidInputError(
    `The node did not return the events of ${address} (eth_getLogs): ${readRpcError(error).message}`,
  );
}
