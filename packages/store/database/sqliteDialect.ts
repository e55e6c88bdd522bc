import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { BoundedMap } from "@hardhat-identity/protocol/boundedMap";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** Milliseconds for which a statement waits for another program's lock. A transaction waits twice as long. */
export const lockWaitMs = 5_000;

/** Milliseconds between two attempts. */
const retryEveryMs = 10;

/** Milliseconds for which statements may keep the event loop before it turns. */
const turnAfterMs = 10;

/** The greatest number of cached statements. Preparing one takes longer than running it. */
const maxStatements = 100;

/** Creates Kysely's dialect for an open file and its connection. */
export function sqliteDialect(database: DatabaseSync, connection: DatabaseConnection): Dialect {
  const unused = async () => {
    throw new Error("Transactions on SQLite begin with transact.");
  };
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: unused,
    commitTransaction: unused,
    rollbackTransaction: unused,
    releaseConnection: async () => undefined,
    destroy: async () => database.close(),
  };
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/**
 * Runs statements, each in one go, because `node:sqlite` is synchronous. The process serves requests between them: a
 * statement waits outside SQLite for another program's lock, and the event loop turns whenever statements have kept it for
 * a while. Otherwise a loop of statements, whose promises resolve at once, would keep it to its end.
 */
export function createConnection(database: DatabaseSync): DatabaseConnection {
  const statements = new BoundedMap<string, Statement>(maxStatements);
  let kept = 0;

  function prepare(sql: string): Statement {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = prepareStatement(database, sql);
    statements.set(sql, statement);
    return statement;
  }

  function run({ sql, parameters }: CompiledQuery): QueryResult<never> {
    const started = performance.now();
    if (kept === 0) setImmediate(() => (kept = 0));
    try {
      return asStoreErrors(() => prepare(sql)(parameters)) as QueryResult<never>;
    } finally {
      kept += performance.now() - started;
    }
  }

  return {
    async executeQuery(query) {
      while (kept > turnAfterMs) await nextTurn();
      return await retryWhileLocked(() => run(query));
    },
    // biome-ignore lint/correctness/useYield: nothing streams.
    async *streamQuery() {
      throw new Error("Statements on SQLite are not streamed.");
    },
  };
}

/** Runs a prepared statement with parameters. */
type Statement = (parameters: readonly unknown[]) => QueryResult<unknown>;

function prepareStatement(database: DatabaseSync, sql: string): Statement {
  const statement: StatementSync = database.prepare(sql);
  // Otherwise SQLite refuses to read all rows of a statement because of one large integer.
  statement.setReadBigInts(true);
  // Node 22.13 cannot list a statement's columns.
  const returnsRows = /^(?:select|with|pragma)\b|\breturning\b/i.test(sql);
  return (parameters) => {
    const values = parameters as SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...values).map(readRow) };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  };
}

/** Returns integers as numbers. None of ours is too large for one. */
function readRow(row: Record<string, unknown>): Record<string, unknown> {
  for (const name in row) {
    if (typeof row[name] === "bigint") row[name] = Number(row[name]);
  }
  return row;
}

/** Calls SQLite and converts its errors to StoreUnavailableError. */
export function asStoreErrors<T>(use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof Error && "errcode" in error)) throw error;
    throw new StoreUnavailableError(error.message, `SQLite ${error.errcode}`);
  }
}

/** Retries for a while if another connection has locked the database. Nothing was done until then. */
export async function retryWhileLocked<T>(attempt: () => T, waitMs = lockWaitMs): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error;
      await delay(retryEveryMs);
    }
  }
}

/** Whether SQLite refused a call, or a statement, because of another connection's lock (SQLITE_BUSY and its kinds). */
export const isLocked = (error: unknown): boolean => resultOf(error) === 5;

/** Whether SQLite could not write a file (SQLITE_READONLY), or not open or create it (SQLITE_CANTOPEN). */
export const isUnwritable = (error: unknown): boolean => [8, 14].includes(resultOf(error));

/** SQLite's primary result code. */
function resultOf(error: unknown): number {
  const { errcode } = error as { errcode?: unknown };
  const code = error instanceof StoreUnavailableError ? error.code.replace(/^SQLite /, "") : errcode;
  return Number(code) & 0xff;
}
