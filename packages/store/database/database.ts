import type { CompiledQuery, Kysely, QueryResult, RawBuilder } from "kysely";
import type { DatabaseLocation } from "./databaseUrl.ts";
import type { Schema } from "./schema.ts";

/**
 * How a database is opened. `"read"` never writes and needs no right to. `"exclusive"` refuses while another process has
 * the store open.
 */
export type Access = "read" | "write" | "exclusive";

/** An open database: Kysely for queries, and the operations that differ from engine to engine. */
export interface Database {
  readonly engine: DatabaseLocation["engine"];
  /** Writes are durable once their promise resolves. */
  readonly db: Kysely<Schema>;
  /** Runs a compiled statement of {@link db}, on SQLite past the layers of Kysely: they take as long as a short one. */
  run<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
  /** The type of a key column, which compares byte for byte. */
  readonly keyText: "text" | RawBuilder<unknown>;
  /** Acts in one transaction, without a time limit. Only one process does so at a time. */
  transact<T>(act: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Copies a snapshot of the database, which may be in use, to a new file. PostgreSQL refuses. */
  backup(to: string): Promise<void>;
  /**
   * Removes deleted data from the log without waiting. Returns whether nothing is left of it, apart from backups and,
   * on PostgreSQL, data that its own clean-up has not reached yet.
   */
  emptyLog(): Promise<boolean>;
  /** The pool's connections; `undefined` if the database is not a server. */
  connections(): Promise<StoreConnections | undefined>;
  close(): Promise<void>;
}

/** The numbers of this process's busy and idle connections, of calls waiting for one, and of allowed connections. */
export interface StoreConnections {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
  readonly max: number;
}
