import { getBytes, keccak256 } from "ethers";
import { ChainUnavailableError } from "../../../chain/connect.ts";
import type { Budget } from "./budget.ts";
import type { Header } from "./header.ts";
import type { PacedNode } from "./node.ts";
import { type Filter, identityUsed, type Log, parseLogs } from "./readEvents.ts";

/**
 * Checks that a node left out no event of a block of which it answered none: where the block's bloom filter has the event's
 * topic, its receipts must have no such event either.
 */
export async function demandNoEvents(
  node: PacedNode,
  header: Header,
  known: Iterable<string>,
  budget: Budget,
): Promise<void> {
  if (!mayHave(header, known)) return;
  const found = await readFromReceipts(node, header, budget);
  if (found === undefined || found.length === 0) return;
  throw new ChainUnavailableError(
    `The node leaves out events of block ${header.number}: its receipts have them.`,
  );
}

/** The bits of a filter of which so many are set that a topic alone, or one with an address, is found in it by chance. */
const [manyBits, mostBits] = [512, 1_024];

function mayHave({ logsBloom }: Header, known: Iterable<string>): boolean {
  if (logsBloom === undefined || !/^0x[0-9a-f]{512}$/i.test(logsBloom)) return false;
  const bloom = getBytes(logsBloom);
  const bits = bloom.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);
  if (bits > mostBits || !has(bloom, identityUsed)) return false;
  return bits <= manyBits || [...known].some((address) => has(bloom, address));
}

function has(bloom: Uint8Array, value: string): boolean {
  const hash = getBytes(keccak256(value));
  return [0, 2, 4].every((at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
    return (((bloom[255 - (bit >> 3)] ?? 0) >> (bit & 7)) & 1) === 1;
  });
}

/**
 * Reads the events of a block from its receipts, all at once or, where the node refuses that, one by one.
 *
 * @returns `undefined` if that exceeds the budget, or the node has no receipts.
 */
export async function readFromReceipts(
  node: PacedNode,
  { number, hash, transactions }: Header,
  budget: Budget,
  filter: Filter = { topics: [identityUsed] },
): Promise<Log[] | undefined> {
  const parse = (receipts: readonly unknown[]) =>
    parseLogs(
      receipts.flatMap((receipt) => Object(receipt).logs ?? []),
      filter,
    );
  const refusal = (error: unknown) => {
    if (error instanceof ChainUnavailableError && (error.refused || error.limit === "size")) return undefined;
    throw error;
  };
  if (!budget.takeCalls(2)) return undefined;
  const all = await node.request({ method: "eth_getBlockReceipts", params: [hash] }).catch(refusal);
  if (Array.isArray(all)) return parse(all);
  const logs: Log[] = [];
  for (const transaction of transactions) {
    if (!budget.hasTime() || !budget.takeCalls(2)) return undefined;
    const params = [transaction];
    const receipt = await node.request({ method: "eth_getTransactionReceipt", params }).catch(refusal);
    if (receipt === undefined) return undefined;
    if (receipt === null)
      throw new ChainUnavailableError(
        `The node lags: it has no receipt of a transaction in block ${number}.`,
      );
    logs.push(...parse([receipt]));
  }
  return logs;
}
