import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { membersOf } from "@hardhat-identity/protocol/json";
import { getBytes, keccak256 } from "ethers";
import type { Header } from "./header.ts";
import { orNoAnswer } from "./node.ts";
import { callMs, type Share } from "./shares.ts";

/** The most bits of a bloom filter that are set before it finds anything by chance. */
const mostBits = 1_024;

/** Whether the bloom filter of a block says that it may have an event with this topic. */
function mayHave({ logsBloom }: Header, topic: string): boolean {
  if (!/^0x[0-9a-f]{512}$/i.test(logsBloom)) return false;
  const bits = BigInt(logsBloom).toString(2).padStart(2_048, "0");
  const hash = getBytes(keccak256(topic));
  const isSet = (at: number) =>
    bits[2_047 - ((((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2_047)] === "1";
  return bits.replaceAll("0", "").length <= mostBits && [0, 2, 4].every(isSet);
}

/**
 * Reads the logs in the receipts of a block, all at once or, where the node refuses that, one by one.
 *
 * @returns `undefined` if that exceeds the share, or the node has no receipts.
 */
export async function readReceipts(
  node: Eip1193Connection,
  { number, hash, transactions }: Header,
  share: Share,
): Promise<unknown[] | undefined> {
  const logsOf = (receipt: unknown): unknown[] => {
    const { blockHash, logs } = membersOf(receipt);
    if (String(blockHash).toLowerCase() === hash && Array.isArray(logs)) return logs;
    throw new ChainUnavailableError(`The node lags: it has no receipt of a transaction in block ${number}.`);
  };
  async function ask(method: string, asked: unknown): Promise<unknown> {
    if (!share.take(callMs)) return undefined;
    return await node.request({ method, params: [asked] }).catch(orNoAnswer);
  }
  const all = await ask("eth_getBlockReceipts", hash);
  // Some nodes answer none until they have them, or leave some out.
  if (Array.isArray(all) && all.length >= transactions.length) return all.flatMap(logsOf);
  const logs: unknown[] = [];
  for (const transaction of transactions) {
    const receipt = await ask("eth_getTransactionReceipt", transaction);
    if (receipt === undefined) return undefined;
    logs.push(...logsOf(receipt));
  }
  return logs;
}

/** Checks that a node left out no event of a block of which it answered none: its receipts must have none either. */
export async function requireNoEvent(
  node: Eip1193Connection,
  header: Header,
  topic: string,
  share: Share,
): Promise<void> {
  const logs = mayHave(header, topic) ? await readReceipts(node, header, share) : undefined;
  if (!logs?.some((log) => Object(log).topics?.[0] === topic)) return;
  throw new ChainUnavailableError(
    `The node leaves out events of block ${header.number}: its receipts have them.`,
  );
}
