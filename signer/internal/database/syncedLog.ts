import { type FileHandle, open } from "node:fs/promises";
import type { KyselyPlugin } from "kysely";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** The log of an SQLite file, which holds what was committed until SQLite moves it to the file itself. */
export interface SyncedLog {
  /** Resolves once all that was committed before is on the disk. Those who wait at the same time share one sync. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Syncs the log off the event loop, which SQLite's own sync at each commit (`synchronous = FULL`) blocks for as long as
 * the disk takes. With `NORMAL`, a commit is left to this; when SQLite moves the log's content, it syncs both by itself.
 *
 * No other file of the database is opened beside SQLite, and this one it never locks: to close a file loses the locks on it.
 *
 * A disk forgets what it failed to write, and later syncs succeed without it. Whatever is appended then stands behind a gap,
 * and is lost with it after a power cut. So after a failure the log is emptied before anything is answered.
 *
 * @param path Of the database.
 * @param emptyLog Moves the log's content to the database. Answers whether it could.
 */
export function syncedLog(path: string, emptyLog: () => Promise<boolean>): SyncedLog {
  let file: Promise<FileHandle> | undefined;
  let mayHaveGap = false;
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function syncNow(): Promise<void> {
    next = undefined;
    if (mayHaveGap && !(await emptyLog())) {
      throw new StoreUnavailableError("its log cannot be emptied after a failed sync", "SQLITE_BUSY");
    }
    mayHaveGap = false;
    try {
      file ??= open(`${path}-wal`, "r+");
      await (await file).datasync();
    } catch (error) {
      mayHaveGap = true;
      throw new StoreUnavailableError(
        "its log cannot be synced",
        (error as NodeJS.ErrnoException).code ?? "EIO",
      );
    }
  }

  return {
    sync() {
      if (next === undefined) {
        next = last.then(syncNow);
        last = next.catch(() => undefined);
      }
      return next;
    },
    async close() {
      await last;
      await (await file?.catch(() => undefined))?.close();
    },
  };
}

/** Has whoever writes wait until this is done as well. */
export function afterWrites(sync: () => Promise<void>): KyselyPlugin {
  const writes = new WeakSet<object>();
  return {
    transformQuery({ node, queryId }) {
      if (node.kind !== "SelectQueryNode") writes.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      if (writes.has(queryId)) await sync();
      return result;
    },
  };
}
