/** The tables of the database, the same in SQLite and PostgreSQL. */
export interface Schema {
  credentials: {
    /** EIP-55 checksummed address. */
    wallet: string;
    provider: string;
    /** The rest of the credential, encrypted; see seal.ts. */
    sealed: string;
  };
  properties: {
    name: string;
    value: string;
  };
  /** Used nonces, which cannot be used again. */
  spent_nonces: {
    nonce: string;
    /** Unix seconds after which the nonce is refused anyway. */
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
    /** The writer of the sequence: 32 hex digits. */
    writer: string;
    /** The row's number in its sequence, from 0. */
    number: number;
    /** Unix milliseconds; never decreases within a sequence. */
    written_at: number;
    /** The encrypted entries, or a checkpoint's mark in their place. */
    entries: string;
    /** 64 hex digits; see audit/sequence.ts. */
    hash: string;
  };
  /** How often requests for a contract were refused; see audit/refusals.ts. */
  refusals: {
    chain_id: number;
    /** EIP-55 checksummed address. */
    consumer: string;
    /** In UTC, such as 2026-01-31. */
    day: string;
    reason: string;
    count: number;
  };
}

/** All tables, each with its primary key. */
export const primaryKeys: { readonly [Table in keyof Schema]: readonly (keyof Schema[Table])[] } = {
  credentials: ["wallet", "provider"],
  properties: ["name"],
  spent_nonces: ["nonce"],
  pins: ["chain_id", "consumer"],
  audit: ["writer", "number"],
  refusals: ["chain_id", "consumer", "day", "reason"],
};

export const tableNames = Object.keys(primaryKeys) as (keyof Schema)[];
