import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";

/**
 * The accounts that a node signs for, checksummed. Many public nodes do not answer `eth_accounts`: then there are none,
 * and their answer.
 */
export interface NodeAccounts {
  readonly accounts: readonly string[];
  /** A clause such as ` (it answers eth_accounts with "…")`; empty if it names its accounts. */
  readonly unanswered: string;
}

/** Reads the accounts of a node. One that refuses the method has none. */
export async function readAccounts(node: Eip1193Connection): Promise<NodeAccounts> {
  try {
    const accounts = (await node.request({ method: "eth_accounts" })) as string[];
    return { accounts: accounts.map(checksumAddress), unanswered: "" };
  } catch (error) {
    const { code, message } = readRpcError(error);
    // Without a code, it is not the node's answer.
    if (code === undefined) throw error;
    return { accounts: [], unanswered: ` (it answers eth_accounts with "${message}")` };
  }
}
