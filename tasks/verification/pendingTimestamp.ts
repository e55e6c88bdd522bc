import type { Eip1193Provider } from "../../protocol/eip1193.ts";

/** The time that the chain will judge the next transaction by, unix seconds. */
export async function pendingTimestamp(provider: Eip1193Provider): Promise<number> {
  const block = (await provider.request({
    method: "eth_getBlockByNumber",
    params: ["pending", false],
  })) as { timestamp: string };
  return Number(block.timestamp);
}
