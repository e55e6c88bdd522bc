/** The fields of a receipt that nodes and wallets share; quantities are hex. */
export interface Receipt {
  readonly transactionHash: string;
  /** `0x1` for success, `0x0` for a revert. */
  readonly status: string;
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly gasUsed: string;
  readonly logs: readonly {
    readonly address: string;
    readonly topics: readonly string[];
    readonly data: string;
  }[];
}
