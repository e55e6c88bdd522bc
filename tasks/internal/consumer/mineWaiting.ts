import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";

/** Mines a block for a transaction that waits on a local node: where nothing else mines, a test would wait forever. */
export async function mineWaiting(node: Eip1193Connection, hash: string): Promise<void> {
  const receipt = await node.request({ method: "eth_getTransactionReceipt", params: [hash] });
  if (receipt === null && (await isLocalNode(node))) await node.request({ method: "evm_mine" });
}
