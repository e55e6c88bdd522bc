/** A node or a wallet (EIP-1193). */
export interface Eip1193Connection {
  request(
    request: {
      readonly method: string;
      readonly params?: readonly unknown[] | object | undefined;
    },
    /** Not in EIP-1193: a client of viem repeats failed requests three times by default. */
    options?: { readonly retryCount?: number },
  ): Promise<unknown>;
}
