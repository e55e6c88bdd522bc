import { getBytes, keccak256 } from "ethers";
import { type Chain, ChainUnavailableError } from "../../../chain/connect.ts";
import { type Header, readHeaders } from "./header.ts";

/** The newest blocks that are looked at one by one; older ones have been looked at, or are caught up with. */
const maxBlocks = 64;

/**
 * Checks that a node left out no event of the newest blocks: where a block's bloom filter has the event's topic and no
 * event came, its receipts must have none either.
 *
 * @returns A function that takes a range of blocks, the newest block, and the blocks of the range that had events.
 */
export function blockChecker(chain: Chain, topic: string) {
  const checked = new Set<string>();

  async function check(header: Header): Promise<void> {
    if (!mayHave(header, topic) || !(await hasInReceipts(chain, header, topic))) return;
    throw new ChainUnavailableError(
      `The node leaves out events of block ${header.number}: its receipts have them.`,
    );
  }

  return async (from: number, to: number, newest: number, withEvents: ReadonlySet<number>): Promise<void> => {
    const start = Math.max(from, newest - maxBlocks + 1);
    const numbers = Array.from({ length: Math.max(0, to - start + 1) }, (_, i) => start + i);
    for await (const header of readHeaders(chain, numbers)) {
      if (checked.has(header.hash) || withEvents.has(header.number)) continue;
      await check(header);
      if (checked.size > 10 * maxBlocks) checked.clear();
      checked.add(header.hash);
    }
  };
}

/** Whether a bloom filter has a topic. One with more than half of its bits set, as of a large block, says yes to anything. */
function mayHave({ logsBloom }: Header, topic: string): boolean {
  if (logsBloom === undefined || !/^0x[0-9a-f]{512}$/i.test(logsBloom)) return false;
  const bloom = getBytes(logsBloom);
  const bits = bloom.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);
  if (bits > 1_024) return false;
  const hash = getBytes(keccak256(topic));
  return [0, 2, 4].every((at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
    return (((bloom[255 - (bit >> 3)] ?? 0) >> (bit & 7)) & 1) === 1;
  });
}

/** The most transactions of a block that are asked for one by one. */
const maxTransactions = 200;

/** Whether a block's receipts have an event with a topic. */
async function hasInReceipts(chain: Chain, header: Header, topic: string): Promise<boolean> {
  const receipts = (await readReceipts(chain, header)) as { logs?: { topics?: string[] }[] }[];
  return receipts.some(({ logs = [] }) => logs.some(({ topics }) => topics?.[0]?.toLowerCase() === topic));
}

async function readReceipts(chain: Chain, { number, hash, transactions }: Header): Promise<unknown[]> {
  try {
    const receipts = await chain.open().request({ method: "eth_getBlockReceipts", params: [hash] });
    if (Array.isArray(receipts)) return receipts;
  } catch (error) {
    if (!(error instanceof ChainUnavailableError && error.refused)) throw error;
  }
  const node = chain.open();
  const asked = transactions.slice(0, maxTransactions);
  const receipts = await Promise.all(
    asked.map((hash) => node.request({ method: "eth_getTransactionReceipt", params: [hash] })),
  );
  if (!receipts.includes(null)) return receipts;
  throw new ChainUnavailableError(`The node lags: it has no receipt of a transaction in block ${number}.`);
}
