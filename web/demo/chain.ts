import { AbiCoder, id } from "ethers";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { NodeFailure } from "../shared/trouble.ts";

/** A node, reached from the page. */
export function connectNode(rpcUrl: string): Eip1193Connection {
  return {
    async request({ method, params = [] }) {
      const { result, error } = await fetch(rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      })
        .then((response) => response.json())
        .catch((cause) => {
          throw new NodeFailure("The local node does not answer.", { cause });
        });
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
  };
}

/** Reads which token a vault takes. */
export async function readToken(node: Eip1193Connection, vault: string): Promise<string> {
  const data = id("token()").slice(0, 10);
  const answer = await node.request({ method: "eth_call", params: [{ to: vault, data }, "latest"] });
  return AbiCoder.defaultAbiCoder().decode(["address"], String(answer))[0];
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
