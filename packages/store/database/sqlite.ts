import { once } from "node:events";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import { Kysely } from "kysely";
import { describeExposure, describeOpenFolder } from "../files/exposure.ts";
import type { Access, Database } from "./database.ts";
import { hasResetBug } from "./resetBug.ts";
import type { Schema } from "./schema.ts";
import {
  asStoreErrors,
  createConnection,
  isLocked,
  lockWaitMs,
  retryWhileLocked,
  sqliteDialect,
} from "./sqliteDialect.ts";

/**
 * Opens an SQLite file through `node:sqlite`. Several processes may have it open at the same time.
 *
 * @param path The file. It is refused if others can read it. To be written, it is created, readable by its owner only,
 * if it does not exist.
 */
export async function openSqlite(path: string, access: Access): Promise<Database> {
  refuseOpenFolder(path);
  if (access !== "read") createFile(path);
  refuseExposed(path);
  // SQLite keeps the log beside the file itself, and not beside a link to it.
  const file = realpathSync(path);
  const { database, finish } = access === "read" ? openForReading(file) : await openForWriting(file, access);
  const emptyLog = () => checkpoint(database, file);
  const connection = createConnection(database);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(database, connection) });
  return {
    engine: "sqlite",
    db,
    run: connection.executeQuery,
    keyText: "text",
    async transact(act) {
      await retryWhileLocked(() => asStoreErrors(() => database.exec("begin immediate")), 2 * lockWaitMs);
      try {
        const result = await act(db);
        asStoreErrors(() => database.exec("commit"));
        return result;
      } catch (error) {
        try {
          database.exec("rollback");
        } catch {
          // A commit that failed may have ended the transaction.
        }
        throw error;
      }
    },
    backup: (to) => backUp(database, to, finish),
    emptyLog,
    connections: async () => undefined,
    async close() {
      await db.destroy();
      if (database.isOpen) database.close();
      finish();
    },
  };
}

/** The backup gets its name once it is complete and synced to the disk. SQLite itself does not sync it. */
async function backUp(database: DatabaseSync, to: string, requireUnchanged: () => void): Promise<void> {
  const refuseOther = () => {
    if (existsSync(to)) throw new InvalidInputError(`${to} exists already; a backup needs a new file.`);
  };
  refuseOther();
  const unfinished = `${to}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    createFile(unfinished);
    await retryWhileLocked(() => asStoreErrors(() => database.prepare("vacuum into ?").run(unfinished)));
    sync(unfinished, "r+");
    requireUnchanged();
    refuseOther();
    renameSync(unfinished, to);
  } catch (error) {
    rmSync(unfinished, { force: true });
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new InvalidInputError(`${to} cannot be written: ${error.message}.`);
  }
  syncFolder(to);
}

/** Windows and some network shares sync no folder; all others do. */
const withoutSync: readonly unknown[] = ["EACCES", "EINVAL", "EISDIR", "ENOSYS", "ENOTSUP", "EPERM"];

/** Syncs the folder of a complete backup, which has the backup's name, where that is possible. */
function syncFolder(backup: string): void {
  const folder = dirname(backup);
  try {
    sync(folder, "r");
  } catch (error) {
    const code = systemErrorCode(error);
    if (withoutSync.includes(code)) return;
    throw new InvalidInputError(
      `${backup} is complete, but ${folder} cannot be synced (${code}): a power cut may lose the backup.`,
    );
  }
}

/** Syncs to the disk what the operating system may otherwise write later. Windows wants a file to be open for writing. */
function sync(path: string, flags: "r" | "r+"): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Bytes of a log from which another thread writes it into the file. SQLite itself does so from four megabytes. */
const largeLog = 8 * 1024 * 1024;

/**
 * Empties the log without waiting for other connections, which may prevent it. Returns whether it is empty. A log is large
 * if a long reading, such as a backup, has kept SQLite from emptying it: that would take the process seconds.
 */
async function checkpoint(database: DatabaseSync, path: string): Promise<boolean> {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > largeLog && !hasResetBug()) await checkpointInThread(path);
  return asStoreErrors(() => database.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0);
}

/** Writes the log into the file as far as nobody is in the way, in another thread. */
async function checkpointInThread(path: string): Promise<void> {
  const code = `
    const { workerData } = require("node:worker_threads");
    const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(workerData);
    database.exec("pragma wal_checkpoint(passive)");
    database.close();`;
  const worker = new Worker(code, { eval: true, workerData: path });
  // The caller tries itself, whatever the thread did.
  await once(worker, "exit").catch(() => undefined);
}

/** SQLite replays any journal beside the file, so nobody else may write to the folder. */
function refuseOpenFolder(path: string): void {
  const folder = dirname(realPath(path));
  const found = statSync(folder, { throwIfNoEntry: false });
  const exposure = found && describeOpenFolder(found);
  if (exposure)
    throw new InvalidInputError(`The database file ${path} is in ${folder}, a folder that ${exposure}.`);
}

/** SQLite follows links to the file. */
const realPath = (path: string) => (existsSync(path) ? realpathSync(path) : path);

function refuseExposed(path: string): void {
  const real = realPath(path);
  for (const file of [real, ...["wal", "shm", "journal"].map((part) => `${real}-${part}`)]) {
    const found = statSync(file, { throwIfNoEntry: false });
    const exposure = found && describeExposure(found);
    if (exposure) throw new InvalidInputError(`The database file ${file} is one that ${exposure}.`);
  }
}

/** An open file, and the action after it is closed. */
interface OpenFile {
  readonly database: DatabaseSync;
  finish(): void;
}

/**
 * A file without a log is in use by nobody. SQLite then reads it without making files beside it, which need rights and
 * would stay. Should somebody change the file meanwhile, what was read counts for nothing.
 */
function openForReading(path: string): OpenFile {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const isInUse = [`${path}-wal`, `${path}-journal`].some((file) => existsSync(file));
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  // Before 22.15, Node opens no URL. SQLite then needs a folder that it can write to.
  const opensUrls = major > 22 || minor >= 15;
  if (isInUse || !opensUrls) {
    const database = new DatabaseSync(path, { readOnly: true });
    return { database, finish: () => undefined };
  }
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  const look = () => {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs].join();
  };
  const before = look();
  return {
    database: new DatabaseSync(url, { readOnly: true }),
    finish() {
      if (look() !== before) throw new InvalidInputError(`${path} was changed while it was read; try again.`);
    },
  };
}

async function openForWriting(path: string, access: "write" | "exclusive"): Promise<OpenFile> {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(path);
  try {
    if (access === "exclusive") lockExclusively(database, path);
    await retryWhileLocked(() => database.exec("PRAGMA journal_mode = WAL"));
    // Syncs the log at each commit.
    database.exec("PRAGMA synchronous = FULL");
    // Overwrites deleted content instead of only unlinking it.
    database.exec("PRAGMA secure_delete = ON");
  } catch (error) {
    database.close();
    throw error;
  }
  return { database, finish: () => undefined };
}

/** Keeps all other processes out until the file is closed: each that has it open, even an idle one, holds a lock. */
function lockExclusively(database: DatabaseSync, path: string): void {
  database.exec("PRAGMA locking_mode = EXCLUSIVE");
  try {
    database.exec("begin exclusive; commit");
  } catch (error) {
    if (!isLocked(error)) throw error;
    throw new InvalidInputError(
      `Another process has ${path} open. Stop the service, and every other program that uses the store, and try again.`,
    );
  }
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
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
}
