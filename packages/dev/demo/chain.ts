import { waitForReceipt } from "@hardhat-identity/client";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { Policy } from "@hardhat-identity/protocol/policy";
import { NodeFailure } from "@hardhat-identity/verify-page/shared/trouble";
import { AbiCoder, concat, id } from "ethers";
import type { DemoConfig } from "./config.ts";

/** A JSON-RPC answer. */
type Answer = { id: number; result?: unknown; error?: { code: number; message: string; data?: unknown } };

type Asked = Parameters<Eip1193Connection["request"]>[0];

export interface DemoNode extends Eip1193Connection {
  /** Asks several things at once, as one batch. */
  readonly requestAll: (asked: readonly Asked[]) => Promise<readonly unknown[]>;
}

/** A node, reached from the page. On a local chain it is the development wallet, too. */
export function connectNode(rpcUrl: string): DemoNode {
  const post = (body: unknown): Promise<unknown> =>
    fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    })
      .then((response) => response.json())
      .catch((cause) => {
        throw new NodeFailure("The local node does not answer.", { cause });
      });
  const write = ({ method, params = [] }: Asked, id: number) => ({ jsonrpc: "2.0", id, method, params });
  const read = ({ result, error }: Answer) => {
    if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data });
    return result;
  };
  return {
    request: async (asked) => read((await post(write(asked, 1))) as Answer),
    async requestAll(asked) {
      const answers = (await post(asked.map(write))) as Answer[];
      // A batch may be answered in any order.
      return answers.sort((a, b) => a.id - b.id).map(read);
    },
  };
}

/** Reads which token a vault takes. */
export async function readToken(node: Eip1193Connection, vault: string): Promise<string> {
  const data = id("token()").slice(0, 10);
  const answer = await node.request({ method: "eth_call", params: [{ to: vault, data }, "latest"] });
  return AbiCoder.defaultAbiCoder().decode(["address"], String(answer))[0];
}

/** Reads what a consumer asks for. */
export async function readPolicy(node: Eip1193Connection, consumer: string): Promise<Policy> {
  const read = async (getter: string, type: string) => {
    const data = id(getter).slice(0, 10);
    const answer = await node.request({ method: "eth_call", params: [{ to: consumer, data }, "latest"] });
    return AbiCoder.defaultAbiCoder().decode([type], String(answer))[0];
  };
  const [provider, conditions] = await Promise.all([
    read("provider()", "string"),
    read("conditions()", "tuple(string name, string op, string value)[]"),
  ]);
  return { provider, conditions };
}

/** The identity hashes of the people that a consumer has admitted. */
export async function readKnown(node: Eip1193Connection, address: string): Promise<readonly string[]> {
  const topics = [id("IdentityUsed(bytes32,bytes32)")];
  const logs = await node.request({ method: "eth_getLogs", params: [{ address, topics, fromBlock: "0x0" }] });
  return (logs as { readonly topics: readonly string[] }[]).map((log) => String(log.topics[2]));
}

/**
 * Whether a wallet looks at the same chain as a node. The chain id does not tell: wallets know 84532 as a public chain. A
 * block's hash does.
 */
export async function isSameChain(wallet: Eip1193Connection, node: Eip1193Connection): Promise<boolean> {
  const { hash } = await readBlock(node, "latest");
  const found = wallet.request({ method: "eth_getBlockByHash", params: [hash, false] });
  return Object(await found.catch(() => undefined)).hash === hash;
}

const readBlock = async (node: Eip1193Connection, tag: string): Promise<{ readonly hash: string }> =>
  Object(await node.request({ method: "eth_getBlockByNumber", params: [tag, false] }));

/** The genesis hash. It differs between runs of a local chain, although their contracts have the same addresses. */
export const readGenesis = async (node: Eip1193Connection): Promise<string> =>
  (await readBlock(node, "0x0")).hash;

/** The accounts that have sent nothing yet. */
export async function findUnused(node: DemoNode, accounts: readonly string[]): Promise<ReadonlySet<string>> {
  const method = "eth_getTransactionCount";
  const counts = await node.requestAll(accounts.map((account) => ({ method, params: [account, "pending"] })));
  return new Set(accounts.filter((_, i) => Number(counts[i]) === 0));
}

/** Marks an account as used, though it has sent nothing. Does nothing if the node does not support that. */
export async function markUsed(node: Eip1193Connection, account: string): Promise<void> {
  await node.request({ method: "hardhat_setNonce", params: [account, "0x1"] }).catch(() => undefined);
}

/**
 * Deploys an example consumer once more, on behalf of the node's first account: nobody has been to it yet, and what was
 * proven before is too old for a ballot.
 *
 * @returns Contract name → address.
 */
export async function openAnew(
  node: Eip1193Connection,
  { registry, consumers, codes }: DemoConfig,
  name: string,
): Promise<Record<string, string>> {
  const [from] = (await node.request({ method: "eth_accounts" })) as string[];
  // A block and a second of its own, so that it is later than every earlier proof.
  await node.request({ method: "evm_increaseTime", params: [1] });
  await node.request({ method: "evm_mine" });
  const args = [registry];
  if (name === "VerifiedVault") args.push(await readToken(node, consumers[name] ?? ""));
  const types = args.map(() => "address");
  const data = concat([codes[name] ?? "0x", AbiCoder.defaultAbiCoder().encode(types, args)]);
  const hash = String(await node.request({ method: "eth_sendTransaction", params: [{ from, data }] }));
  // Where the node mines at intervals, nobody waits for that.
  await node.request({ method: "evm_mine" });
  const receipt = await waitForReceipt(node, { hash, interval: 200 });
  return { [name]: String(Reflect.get(receipt, "contractAddress")) };
}
