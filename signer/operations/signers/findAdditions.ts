import { id, toQuantity, zeroPadValue } from "ethers";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { readRpcError } from "../../../protocol/rpcError.ts";

/** The blocks in which signers were added to the allowlist, as far back as they were searched. */
export interface Additions {
  /** Signer → the last block in which it was added. */
  readonly blocks: ReadonlyMap<string, number>;
  /** The earliest block that was searched. */
  readonly searchedFrom: number;
}

/** Blocks per request, if a node refuses to search all at once. After each refusal, the next smaller number is used. */
const smallerSpans = [10_000, 1_000, 100, 10, 1];

/** Maximum number of requests if `fromBlock` is not given. */
const mostQuestions = 500;

/**
 * Searches for the events that added the signers, from the newest block backwards, until it finds all. The block of the
 * registry's deployment need not be known. Nodes limit the blocks per request; the first request asks for all.
 *
 * @param options.fromBlock The earliest block to search. Defaults to as far back as 500 requests reach.
 * @param options.progress Called after each answer with the earliest block searched.
 * @throws InvalidInputError if the node refuses to return the events of a single block.
 */
export async function findAdditions(
  node: Eip1193Connection,
  options: {
    registry: string;
    signers: readonly string[];
    fromBlock?: number | undefined;
    progress?: (searchedFrom: number) => void;
  },
): Promise<Additions> {
  const { registry, signers, fromBlock, progress } = options;
  const latest = Number(await node.request({ method: "eth_blockNumber" }));
  const earliest = fromBlock ?? 0;
  const topics = [id("SignerAdded(address)"), signers.map((signer) => zeroPadValue(signer, 32))];
  const blocks = new Map<string, number>();
  const spans = [latest - earliest + 1, ...smallerSpans];
  let searchedFrom = latest + 1;
  let questions = 0;

  const isOver = () =>
    blocks.size === signers.length ||
    searchedFrom <= earliest ||
    (fromBlock === undefined && questions >= mostQuestions);

  while (!isOver()) {
    const start = Math.max(earliest, searchedFrom - (spans[0] ?? 1));
    questions++;
    try {
      const range = { fromBlock: toQuantity(start), toBlock: toQuantity(searchedFrom - 1) };
      const logs = await node.request({
        method: "eth_getLogs",
        params: [{ address: registry, topics, ...range }],
      });
      for (const { topics, blockNumber } of logs as { topics: string[]; blockNumber: string }[]) {
        const signer = signers.find(
          (each) => topics[1]?.toLowerCase() === zeroPadValue(each, 32).toLowerCase(),
        );
        if (signer !== undefined) blocks.set(signer, Math.max(blocks.get(signer) ?? 0, Number(blockNumber)));
      }
    } catch (error) {
      narrow(spans, searchedFrom - start, error);
      continue;
    }
    searchedFrom = start;
    progress?.(searchedFrom);
  }
  return { blocks, searchedFrom };
}

/** Reduces the blocks per request below the number that was refused. */
function narrow(spans: number[], refused: number, error: unknown): void {
  do spans.shift();
  while (spans.length > 0 && (spans[0] ?? 0) >= refused);
  if (spans.length > 0) return;
  throw new InvalidInputError(
    `The node did not return the registry's events (eth_getLogs): ${readRpcError(error).message}`,
  );
}
