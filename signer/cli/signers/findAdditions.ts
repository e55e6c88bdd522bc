import { id, toQuantity, zeroPadValue } from "ethers";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { readRpcError } from "../../../protocol/rpcError.ts";

/** Since when signers are on the allowlist, as far as it was looked for. */
export interface Additions {
  /** Signer → the block in which it was added last. */
  readonly blocks: ReadonlyMap<string, number>;
  /** The first block that was looked at. */
  readonly searchedFrom: number;
}

/** Blocks in one question, where a node does not take all at once; each that is refused is asked for with fewer. */
const smallerSpans = [10_000, 1_000, 100, 10, 1];

/** How many questions a node is asked where nobody said how far to go. */
const mostQuestions = 500;

/**
 * Looks for the events by which signers were added, from the newest block backwards, until all are found. When the
 * registry was deployed need not be known. Nodes limit how many blocks they search at once: all are asked for at first.
 *
 * @param options.fromBlock How far to go; without it as far as 500 questions reach.
 * @param options.progress Is told after each answer down to which block it was looked.
 * @throws InvalidInputError when the node does not tell the events of a single block.
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

/** Goes on with fewer blocks than were refused. */
function narrow(spans: number[], refused: number, error: unknown): void {
  do spans.shift();
  while (spans.length > 0 && (spans[0] ?? 0) >= refused);
  if (spans.length > 0) return;
  throw new InvalidInputError(
    `The node does not tell the registry's events (eth_getLogs): ${readRpcError(error).message}`,
  );
}
