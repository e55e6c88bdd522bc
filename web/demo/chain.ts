import { AbiCoder, id } from "ethers";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Policy } from "../../protocol/policy.ts";
import { decodePolicy } from "../../protocol/policyEncoding.ts";

/** A node, reached from the page. */
export function connectNode(rpcUrl: string): Eip1193Connection {
  return {
    async request({ method, params = [] }) {
      const response = await fetch(rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const { result, error } = await response.json();
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
  };
}

/** What a consumer demands, as it stands on the chain. */
export interface OnchainPolicy extends Policy {
  readonly cutoffBlock: bigint;
}

/** Reads a consumer's policy by its three getters. */
export async function readPolicy(node: Eip1193Connection, consumer: string): Promise<OnchainPolicy> {
  const [provider, conditions, cutoffBlock] = await Promise.all(
    ["provider()", "conditions()", "cutoffBlock()"].map((getter) => call(node, consumer, getter)),
  );
  const decoded = decodePolicy({ provider: provider ?? "", conditions: conditions ?? "" });
  if (decoded === undefined || "problem" in decoded) throw new Error("The contract has no policy.");
  return { ...decoded.policy, cutoffBlock: BigInt(cutoffBlock ?? 0) };
}

/** Reads which token a vault takes. */
export async function readToken(node: Eip1193Connection, vault: string): Promise<string> {
  return AbiCoder.defaultAbiCoder().decode(["address"], await call(node, vault, "token()"))[0];
}

async function call(node: Eip1193Connection, to: string, getter: string): Promise<string> {
  const data = id(getter).slice(0, 10);
  return String(await node.request({ method: "eth_call", params: [{ to, data }, "latest"] }));
}

interface Block {
  readonly number: string;
  readonly hash: string;
}

/**
 * Whether a wallet looks at the same chain as a node. The chain id does not tell: wallets know 84532 as a public chain.
 * The registry's code and a block's hash do.
 */
export async function isSameChain(
  wallet: Eip1193Connection,
  node: Eip1193Connection,
  registry: string,
): Promise<boolean> {
  const readCode = (node: Eip1193Connection) =>
    node.request({ method: "eth_getCode", params: [registry, "latest"] });
  const readBlock = async (node: Eip1193Connection, tag: string) =>
    (await node.request({ method: "eth_getBlockByNumber", params: [tag, false] })) as Block | null;
  try {
    const latest = await readBlock(node, "latest");
    const [ours, theirs, same] = await Promise.all([
      readCode(node),
      readCode(wallet),
      readBlock(wallet, latest?.number ?? "0x0"),
    ]);
    return ours !== "0x" && ours === theirs && latest !== null && latest.hash === same?.hash;
  } catch {
    return false;
  }
}

/** Whether the node mines a block for each transaction, so that holding one back can be shown. */
export async function minesAtOnce(node: Eip1193Connection): Promise<boolean> {
  return (await node.request({ method: "hardhat_getAutomine" }).catch(() => false)) === true;
}
