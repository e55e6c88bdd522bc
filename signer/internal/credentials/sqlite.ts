import { closeSync, openSync, statSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { describeExposure } from "../secretFiles.ts";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";

/** Milliseconds that a statement waits for another process's transaction. */
export const busyTimeout = 5_000;

/**
 * Opens an SQLite file through `node:sqlite`. Several processes may have it open at the same time.
 *
 * @param path Created, readable by its owner only, when it does not exist; refused when others can read it.
 */
export async function openSqlite(path: string): Promise<Database> {
  const database = await openFile(path);
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: adaptDatabase(database) }) });
  let find: StatementSync | undefined;
  return {
    db,
    async findSealed(wallet, provider) {
      find ??= database.prepare("select sealed from credentials where wallet = ? and provider = ?");
      return find.get(wallet, provider)?.sealed as string | undefined;
    },
    emptyLog: async () => emptyLog(database),
  };
}

/**
 * Tries again for as long as another connection has the database locked. SQLite's own wait blocks the event loop, so
 * that two connections of one process, one of them within a transaction, would wait for each other.
 */
export async function retryWhileLocked<T>(attempt: () => T | Promise<T>): Promise<T> {
  const deadline = Date.now() + 2 * busyTimeout;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLocked(error) || Date.now() > deadline) throw error;
      await delay(20);
    }
  }
}

/** Returns at once, and answers whether the log is empty: a reader or a writer of another connection may be in the way. */
function emptyLog(database: DatabaseSync): boolean {
  const waitFor = (milliseconds: number) => database.exec(`pragma busy_timeout = ${milliseconds}`);
  waitFor(0);
  try {
    return database.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0;
  } finally {
    waitFor(busyTimeout);
  }
}

async function openFile(path: string): Promise<DatabaseSync> {
  // SQLite gives its log and shared-memory files the mode of the database.
  closeSync(openSync(path, "a", 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    const exposure = found && describeExposure(found);
    if (exposure) throw new InvalidInputError(`The database file ${file} is one that ${exposure}.`);
  }
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  await retryWhileLocked(() => database.exec("PRAGMA journal_mode = WAL"));
  database.exec("PRAGMA synchronous = FULL");
  // What is deleted is overwritten, not only unlinked.
  database.exec("PRAGMA secure_delete = ON");
  return database;
}

const adaptDatabase = (database: DatabaseSync): SqliteDatabase => ({
  prepare: (sql) => adaptStatement(sql, database.prepare(sql)),
  close: () => database.close(),
});

function adaptStatement(sql: string, statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    // Node 22.13 cannot tell what a statement's columns are.
    reader: /^(?:select|with|pragma)\b|\breturning\b/i.test(sql),
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

/** Node 22 warns, on the user's terminal, that the module may still change. */
function loadSqlite() {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isLocked(error: unknown): boolean {
  const sqliteBusy = 5;
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteBusy;
}
