/** Rows as they stand in the database; the same in SQLite and PostgreSQL. */
export interface Schema {
  credentials: {
    /** EIP-55 checksummed address. */
    wallet: string;
    provider: string;
    /** All else of the credential, encrypted; see seal.ts. */
    sealed: string;
  };
  properties: {
    name: string;
    value: string;
  };
  /** What can be used once, and was. */
  spent_nonces: {
    nonce: string;
    /** Unix seconds after which it is worth nothing anyway. */
    expires_at: number;
  };
  /** The policies that contracts are held to; see pins.ts. */
  pins: {
    chain_id: number;
    /** EIP-55 checksummed address. */
    consumer: string;
    /** 32 bytes hex. */
    policy_hash: string;
    /** Decimal: up to 256 bits. */
    cutoff_block: string;
    cutoff_rises: number;
    /** Unix seconds. */
    rises_since: number;
    /** Unix seconds. */
    pinned_at: number;
  };
  /** The audit trail; see audit/rows.ts. */
  audit: {
    /** Whose chain it is: 32 hex digits. */
    writer: string;
    /** Counts the rows of a chain, from 0. */
    number: number;
    /** Unix milliseconds; never falls within a chain. */
    written_at: number;
    /** A list of entries, encrypted; or what a checkpoint has in their place. */
    entries: string;
    /** 64 hex digits; see audit/chain.ts. */
    hash: string;
  };
}
