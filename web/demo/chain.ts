import { AbiCoder, concat, id } from "ethers";
import { waitForReceipt } from "../../client/index.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { NodeFailure } from "../shared/trouble.ts";
import type { DemoConfig } from "./config.ts";

/** A JSON-RPC answer. */
interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A node, reached from the page. On a local chain it is the development wallet, too. */
export function connectNode(rpcUrl: string): Eip1193Connection {
  return {
    async request({ method, params = [] }) {
      const { result, error } = await fetch(rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      })
        .then((response) => response.json() as Promise<Answer>)
        .catch((cause) => {
          throw new NodeFailure("The local node does not answer.", { cause });
        });
      if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data });
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

/** What tells this chain from one that was started before, or after, with the same contracts at the same addresses. */
export async function readGenesis(node: Eip1193Connection): Promise<string> {
  const block = (await node.request({ method: "eth_getBlockByNumber", params: ["0x0", false] })) as Block;
  return block.hash;
}

/** Whether none of these accounts has sent anything yet. */
export async function areUnused(node: Eip1193Connection, accounts: readonly string[]): Promise<boolean> {
  const counts = await Promise.all(
    accounts.map((account) =>
      node.request({ method: "eth_getTransactionCount", params: [account, "pending"] }),
    ),
  );
  return counts.every((count) => Number(count) === 0);
}

/**
 * Deploys example consumers once more, on behalf of the node's first account: nobody has been to them yet, and what was
 * proven before is too old for a ballot.
 *
 * @returns Contract name → address.
 */
export async function openAnew(
  node: Eip1193Connection,
  { registry, consumers, codes }: DemoConfig,
  names: readonly string[],
): Promise<Record<string, string>> {
  const [from] = (await node.request({ method: "eth_accounts" })) as string[];
  // A block of its own, so that they are later than whatever was proven before.
  await node.request({ method: "evm_mine" });
  const hashes: Record<string, unknown> = {};
  for (const name of names) {
    const former = consumers[name];
    const code = codes[name];
    if (former === undefined || code === undefined) continue;
    const args = name === "VerifiedVault" ? [registry, await readToken(node, former)] : [registry];
    const data = concat([
      code,
      AbiCoder.defaultAbiCoder().encode(
        args.map(() => "address"),
        args,
      ),
    ]);
    hashes[name] = await node.request({ method: "eth_sendTransaction", params: [{ from, data }] });
  }
  // Where the node mines at intervals, nobody waits for that.
  await node.request({ method: "evm_mine" });
  const opened: Record<string, string> = {};
  for (const [name, hash] of Object.entries(hashes)) {
    const receipt = await waitForReceipt(node, { hash: String(hash), interval: 200 });
    opened[name] = String(Reflect.get(receipt, "contractAddress"));
  }
  return opened;
}
