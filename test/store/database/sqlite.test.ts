import fs, { statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { openSqlite } from "../../../packages/store/database/sqlite.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { countTurns } from "../../fixtures/countTurns.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { replace } from "../../fixtures/replace.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("An SQLite log that a long reading let grow", function () {
  this.timeout(60_000);

  it("is emptied while the process does other work", async () => {
    const path = join(await temporaryFolder(), "store.db");
    const database = await openSqlite(path, "write");
    onCleanup(() => database.close());
    const [writer, reader] = [new DatabaseSync(path), new DatabaseSync(path)];
    writer.exec("pragma synchronous = off; create table t (a integer primary key, b blob)");
    reader.exec("begin; select * from t");
    const insert = writer.prepare("insert into t (b) values (?)");
    writer.exec("begin");
    for (let row = 0; row < 12_000; row++) insert.run(Buffer.alloc(4_000, row));
    writer.exec("commit");
    reader.exec("commit");
    reader.close();
    expect(statSync(`${path}-wal`).size).to.be.above(40_000_000);

    const turns = await countTurns(async () => {
      expect(await database.emptyLog()).to.equal(true);
    });
    expect(turns).to.be.above(2);
    expect(statSync(`${path}-wal`).size).to.equal(0);
    writer.close();
  });
});

describe("A backup of an SQLite store", () => {
  /** Replaces the system's sync of a file descriptor until the test ends. */
  function replaceSync(act: (folder: boolean, writable: boolean) => void) {
    onCleanup(syncBuiltinESMExports);
    const flags = new Map<number, unknown>();
    const { openSync } = fs;
    replace(fs, "openSync", ((...args: Parameters<typeof openSync>) => {
      const descriptor = openSync(...args);
      flags.set(descriptor, args[1]);
      return descriptor;
    }) as typeof openSync);
    replace(fs, "fsyncSync", (descriptor) =>
      act(fs.fstatSync(descriptor).isDirectory(), flags.get(descriptor) !== "r"),
    );
    syncBuiltinESMExports();
  }
  const refuse = (code: string) => {
    throw Object.assign(new Error(`${code}: fsync`), { code, syscall: "fsync" });
  };

  async function fixture() {
    const folder = await temporaryFolder();
    const database = await openSqlite(join(folder, "store.db"), "write");
    onCleanup(() => database.close());
    const copy = join(folder, "copy.db");
    return { folder, copy, backup: () => database.backup(copy) };
  }

  it("succeeds where only a file that is open for writing is synced, and no folder, as on Windows", async () => {
    for (const code of ["EPERM", "EINVAL", "ENOTSUP"]) {
      const { copy, backup } = await fixture();
      replaceSync((folder, writable) => {
        if (folder || !writable) refuse(code);
      });
      await backup();
      expect(statSync(copy).size).to.be.above(0);
    }
  });

  it("says that it is complete, and may be lost, where its folder is not synced for a fault of the disk", async () => {
    const { folder, copy, backup } = await fixture();
    replaceSync((isFolder) => {
      if (isFolder) refuse("EIO");
    });
    expect((await rejection(backup())).message).to.equal(
      `${copy} is complete, but ${folder} cannot be synced (EIO): a power cut may lose the backup.`,
    );
    expect(statSync(copy).size).to.be.above(0);
  });
});
