/** A node or a wallet (EIP-1193). */
export interface Eip1193Connection {
  request(request: {
    readonly method: string;
    readonly params?: readonly unknown[] | object | undefined;
  }): Promise<unknown>;
}
