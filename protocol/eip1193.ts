/** The part of EIP-1193 that asks a node or a wallet. */
export interface Eip1193Connection {
  request(request: {
    readonly method: string;
    readonly params?: readonly unknown[] | object | undefined;
  }): Promise<unknown>;
}
