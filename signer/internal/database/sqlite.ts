import { closeSync, openSync, statSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { describeExposure } from "../files/secretFiles.ts";
import { BoundedMap } from "../limits/boundedMap.ts";
import type { Database } from "./database.ts";
import { writeNewFile } from "./newFile.ts";
import type { Schema } from "./schema.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";
import { afterWrites, syncedLog } from "./syncedLog.ts";

/** Milliseconds that a statement waits for another process's transaction. */
export const busyTimeout = 5_000;

/**
 * Opens an SQLite file through `node:sqlite`. Several processes may have it open at the same time.
 *
 * @param path The file. It is created, readable by its owner only, if it does not exist, and refused if others can read
 * it.
 */
export async function openSqlite(path: string): Promise<Database> {
  const database = await openFile(path);
  const emptyLog = async () => telling(() => checkpoint(database));
  const log = syncedLog(path, emptyLog);
  let isMigrating = false;
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({ database: adaptDatabase(database) }),
    plugins: [afterWrites(async () => (isMigrating ? undefined : log.sync()))],
  });
  let find: StatementSync | undefined;
  return {
    engine: "sqlite",
    db,
    keyText: "text",
    async findSealed(wallet, provider) {
      return telling(() => {
        find ??= database.prepare("select sealed from credentials where wallet = ? and provider = ?");
        return find.get(wallet, provider)?.sealed as string | undefined;
      });
    },
    async check() {
      await db.selectFrom("properties").select("name").limit(1).execute();
    },
    async migrate(change) {
      setBusyTimeout(database, 0);
      await retryWhileLocked(() => database.exec("begin immediate"));
      isMigrating = true;
      try {
        await change(db);
        database.exec("commit");
      } catch (error) {
        database.exec("rollback");
        throw error;
      } finally {
        isMigrating = false;
        setBusyTimeout(database, busyTimeout);
      }
      await log.sync();
    },
    backup: (to) => backUp(database, to),
    emptyLog,
    connections: async () => undefined,
    async close() {
      await log.close();
      await db.destroy();
      if (database.isOpen) database.close();
    },
  };
}

async function backUp(database: DatabaseSync, to: string): Promise<void> {
  await writeNewFile(to, "a backup", (unfinished) =>
    telling(() => database.prepare("vacuum into ?").run(unfinished)),
  );
}

/**
 * Retries for a while if another connection has locked the database. SQLite's own wait blocks the event loop, so that
 * two connections of one process, one of them within a transaction, would wait for each other.
 */
async function retryWhileLocked<T>(attempt: () => T | Promise<T>): Promise<T> {
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

/** Empties the log without waiting. Returns whether it is empty: other connections may prevent it. */
function checkpoint(database: DatabaseSync): boolean {
  setBusyTimeout(database, 0);
  try {
    return database.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0;
  } finally {
    setBusyTimeout(database, busyTimeout);
  }
}

function setBusyTimeout(database: DatabaseSync, milliseconds: number): void {
  database.exec(`pragma busy_timeout = ${milliseconds}`);
}

async function openFile(path: string): Promise<DatabaseSync> {
  createFile(path);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    const exposure = found && describeExposure(found);
    if (exposure) throw new InvalidInputError(`The database file ${file} is one that ${exposure}.`);
  }
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  await retryWhileLocked(() => database.exec("PRAGMA journal_mode = WAL"));
  // No sync at a commit: see syncedLog.ts.
  database.exec("PRAGMA synchronous = NORMAL");
  // Overwrites deleted content instead of only unlinking it.
  database.exec("PRAGMA secure_delete = ON");
  setBusyTimeout(database, busyTimeout);
  return database;
}

/**
 * Creates the file for its owner only, unless it exists. SQLite gives its log and shared-memory files the same mode.
 * Only SQLite opens an existing file: closing a file releases all POSIX locks that the process has on it, even those of
 * other connections.
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** The greatest number of cached statements. Preparing one takes longer than running it. */
const keptStatements = 100;

function adaptDatabase(database: DatabaseSync): SqliteDatabase {
  const statements = new BoundedMap<string, SqliteStatement>(keptStatements);
  return {
    prepare(sql) {
      const kept = statements.get(sql);
      if (kept !== undefined) return kept;
      const statement = adaptStatement(
        sql,
        telling(() => database.prepare(sql)),
      );
      statements.set(sql, statement);
      return statement;
    },
    close: () => database.close(),
  };
}

function adaptStatement(sql: string, statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    // Node 22.13 cannot list a statement's columns.
    reader: /^(?:select|with|pragma)\b|\breturning\b/i.test(sql),
    all: (parameters) => telling(() => statement.all(...values(parameters))),
    run: (parameters) => telling(() => statement.run(...values(parameters))),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

/** Calls SQLite and converts its errors to StoreUnavailableError. */
function telling<T>(use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof Error && "errcode" in error)) throw error;
    throw new StoreUnavailableError(error.message, `SQLite ${error.errcode}`);
  }
}

/** Loads `node:sqlite` without Node 22's warning on the user's terminal that the module may change. */
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
