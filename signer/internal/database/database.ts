import type { Kysely, RawBuilder } from "kysely";
import type { DatabaseLocation } from "./databaseUrl.ts";
import type { Schema } from "./schema.ts";

/** An opened database: Kysely over it, and what differs from engine to engine. */
export interface Database {
  readonly engine: DatabaseLocation["engine"];
  /** What it has written will last once the promise resolves. */
  readonly db: Kysely<Schema>;
  /** Type of a column by which rows are found and ordered, byte for byte. */
  readonly keyText: "text" | RawBuilder<unknown>;
  /** What is sealed for a wallet, EIP-55 checksummed, at a provider: the one query of every claim, prepared once. */
  findSealed(wallet: string, provider: string): Promise<string | undefined>;
  /** Fails when nothing can be written, either. */
  check(): Promise<void>;
  /** Changes the schema, in one transaction, while no other process does. It may take as long as it takes. */
  migrate(change: (db: Kysely<Schema>) => Promise<void>): Promise<void>;
  /**
   * Copies it, as it is at one moment, into a new file, while it is used.
   *
   * @throws InvalidInputError when it is not this engine's to do so, or the file exists.
   */
  backup(to: string): Promise<void>;
  /**
   * Sees to it that nothing is left of what was deleted but in backups, and on PostgreSQL in what its own clean-up
   * has not come to. Returns at once; answers whether it is so now.
   */
  emptyLog(): Promise<boolean>;
  /** Undefined where the database is no server. */
  connections(): Promise<StoreConnections | undefined>;
  close(): Promise<void>;
}

/** How many connections of this process are in use and are not, who waits for one, and how many there may be. */
export interface StoreConnections {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
  readonly max: number;
}
