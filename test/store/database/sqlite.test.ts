import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { openSqlite } from "../../../packages/store/database/sqlite.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
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

    let longest = 0;
    let last = performance.now();
    const note = () => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    };
    const ticking = setInterval(note, 1);
    const since = performance.now();
    expect(await database.emptyLog()).to.equal(true);
    note();
    clearInterval(ticking);
    expect(longest).to.be.below((performance.now() - since) / 2);
    expect(statSync(`${path}-wal`).size).to.equal(0);
    writer.close();
  });
});
