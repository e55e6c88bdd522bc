import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { membersOf } from "@hardhat-identity/protocol/json";

/** An account of a viem client that signs by itself, or a smart account of viem's. */
interface OwnAccount {
  readonly type: string;
  readonly address: string;
  signMessage(parameters: { readonly message: string }): Promise<unknown>;
  signTransaction(transaction: object, options: { readonly serializer: unknown }): Promise<unknown>;
}

/** The members of a viem client that this library uses. */
export interface ViemClient {
  readonly uid: string;
  readonly account?: OwnAccount | undefined;
  readonly chain?:
    | { readonly id: number; readonly serializers?: { readonly transaction?: unknown } }
    | undefined;
  request(
    request: { readonly method: string; readonly params: readonly unknown[] },
    /** By default, a client repeats a failed request three times. */
    options: { readonly retryCount: number } | undefined,
  ): Promise<unknown>;
  prepareTransactionRequest?(parameters: object): Promise<object>;
}

/** Returns the connection if it is a client of viem, by the members that `createClient` gives each. */
export function asViemClient(connection: Eip1193Connection): ViemClient | undefined {
  const { uid, extend, transport } = membersOf(connection);
  const isClient = typeof uid === "string" && typeof extend === "function" && typeof transport === "object";
  return isClient ? (connection as unknown as ViemClient) : undefined;
}

/** Returns the account of a viem client that signs without asking the node, if it has the address. */
export function findOwnAccount(client: ViemClient | undefined, address: string): OwnAccount | undefined {
  const account = client?.account;
  const isOwn = account?.type === "local" || account?.type === "smart";
  return isOwn && account.address.toLowerCase() === address.toLowerCase() ? account : undefined;
}
