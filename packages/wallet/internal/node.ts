import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import type { Receipt } from "@hardhat-identity/protocol/receipt";

interface Block {
  readonly gasLimit: string;
  readonly transactions: readonly { readonly from: string; readonly nonce: string; readonly hash: string }[];
}

/** A development node such as Hardhat's, with the requests that the wallet makes. */
export interface DevelopmentNode extends Eip1193Connection {
  accounts(): Promise<readonly string[]>;
  chainId(): Promise<string>;
  /** The code after the pending transactions. */
  code(address: string): Promise<string>;
  setCode(address: string, code: string): Promise<void>;
  impersonate(address: string): Promise<void>;
  /** Whether the node mines every transaction at once. */
  minesAtOnce(): Promise<boolean>;
  /** The gas price for the next block, in wei. */
  gasPrice(): Promise<string>;
  /** The nonce of the account's next transaction; with `latest` without the pending ones. */
  nonce(address: string, block: "pending" | "latest"): Promise<bigint>;
  blockNumber(): Promise<bigint>;
  block(block: "pending" | bigint): Promise<Block | null>;
  receipt(hash: string): Promise<Receipt | null>;
  /** Whether the node has the transaction, mined or not. */
  hasTransaction(hash: string): Promise<boolean>;
}

/** Wraps a connection to a development node. */
export function asDevelopmentNode(connection: Eip1193Connection): DevelopmentNode {
  const ask = async <T>(method: string, ...params: unknown[]): Promise<T> =>
    (await connection.request({ method, params })) as T;
  return {
    request: (request) => connection.request(request),
    accounts: () => ask("eth_accounts"),
    chainId: () => ask("eth_chainId"),
    code: (address) => ask("eth_getCode", address, "pending"),
    setCode: (address, code) => ask("hardhat_setCode", address, code),
    impersonate: (address) => ask("hardhat_impersonateAccount", address),
    minesAtOnce: () => ask("hardhat_getAutomine"),
    gasPrice: () => ask("eth_gasPrice"),
    nonce: async (address, block) => BigInt(await ask<string>("eth_getTransactionCount", address, block)),
    blockNumber: async () => BigInt(await ask<string>("eth_blockNumber")),
    block: (block) => ask("eth_getBlockByNumber", block === "pending" ? block : toQuantity(block), true),
    receipt: (hash) => ask("eth_getTransactionReceipt", hash),
    hasTransaction: async (hash) => (await ask("eth_getTransactionByHash", hash)) !== null,
  };
}
