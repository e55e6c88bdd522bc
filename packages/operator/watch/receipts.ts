import { ChainUnavailableError } from "@hardhat-identity/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { getBytes, keccak256 } from "ethers";
import type { Header } from "./header.ts";
import { callMs, type Share } from "./share.ts";

/** The most bits of a bloom filter that are set before it finds anything by chance. */
const mostBits = 1_024;

/** Whether the bloom filter of a block says that it may have an event with this topic. */
export function mayHave({ logsBloom }: Header, topic: string): boolean {
  if (logsBloom === undefined || !/^0x[0-9a-f]{512}$/i.test(logsBloom)) return false;
  const bloom = BigInt(logsBloom);
  if (bloom.toString(2).replaceAll("0", "").length > mostBits) return false;
  const hash = getBytes(keccak256(topic));
  return [0, 2, 4].every((at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2_047;
    return ((bloom >> BigInt(bit)) & 1n) === 1n;
  });
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
  async function ask(method: string, asked: string): Promise<unknown> {
    if (!share.take(callMs)) return undefined;
    return await node.request({ method, params: [asked] }).catch((error: unknown) => {
      if (!(error instanceof ChainUnavailableError && (error.refused || error.limit === "size"))) throw error;
    });
  }
  const all = await ask("eth_getBlockReceipts", hash);
  if (Array.isArray(all)) return all.flatMap((receipt) => Object(receipt).logs ?? []);
  const logs: unknown[] = [];
  for (const transaction of transactions) {
    const receipt = await ask("eth_getTransactionReceipt", transaction);
    if (receipt === undefined) return undefined;
    if (receipt === null)
      throw new ChainUnavailableError(
        `The node lags: it has no receipt of a transaction in block ${number}.`,
      );
    logs.push(...(Object(receipt).logs ?? []));
  }
  return logs;
}
