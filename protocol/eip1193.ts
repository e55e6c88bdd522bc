/** As much of EIP-1193 as is needed to ask a node or a wallet. */
export interface Eip1193Connection {
  request(request: {
    readonly method: string;
    readonly params?: readonly unknown[] | object | undefined;
  }): Promise<unknown>;
}
