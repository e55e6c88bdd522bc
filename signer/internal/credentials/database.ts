import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** An opened database: Kysely over it, and what is not Kysely's. */
export interface Database {
  readonly db: Kysely<Schema>;
  /** What is sealed for a wallet, EIP-55 checksummed, at a provider: the one query of every claim, prepared once. */
  findSealed(wallet: string, provider: string): Promise<string | undefined>;
  /**
   * Writes the database's log into the database and cuts it off, so that nothing is left of what it held. Returns at
   * once, and answers whether the log is empty now.
   */
  emptyLog(): Promise<boolean>;
}
