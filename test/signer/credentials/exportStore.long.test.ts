import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { importStore, openCredentialStore } from "../../../signer/index.ts";
import { pageSize } from "../../../signer/internal/database/paging.ts";
import { exported, readAll } from "../../fixtures/signer/exports.ts";
import { withClient } from "../../fixtures/signer/postgres.ts";
import { engines, manyCredentials } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`Moving a store to ${engine}`, function () {
    this.timeout(120_000);

    it("goes on when it was killed", async () => {
      const counts = { credentials: 20 * pageSize, pins: 1 };
      const { to, masterSecret, store: source } = await exported(engines.SQLite, counts);
      const { databaseUrl } = await createDatabase();
      const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
      const killed = spawnIdentitySigner(["import", "--from", to], env);
      await killed.waitFor(/Imported \d+ of 10000 credentials/);
      await killed.stop("SIGKILL");
      const again = await runIdentitySigner(["import", "--from", to], env);
      expect(again.code).to.equal(0);
      const [, added, kept] = /: (\d+) new credentials?, 0 in place of older ones, (\d+) kept/.exec(
        again.output,
      ) ?? [undefined, "", ""];
      expect(Number(added) + Number(kept)).to.equal(counts.credentials);
      expect(Number(kept)).to.be.at.least(pageSize);
      const target = await openCredentialStore({ databaseUrl, masterSecret });
      expect(await readAll(target)).to.deep.equal(await readAll(source));
      await target.close();
    });
  });
}

describe("An import that is killed in the middle", () => {
  it("leaves whole pages, and the next one brings the rest", async () => {
    const { to, masterSecret } = await exported();
    const credentials = manyCredentials(pageSize + 2).sort((a, b) => (a.wallet < b.wallet ? -1 : 1));
    const last = credentials.at(-1);
    const postgres = engines.PostgreSQL;
    if (postgres === undefined) throw new Error("no PostgreSQL");
    const { databaseUrl, query } = await postgres();
    const store = await openCredentialStore({ databaseUrl, masterSecret });
    const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
    await withClient(databaseUrl, async (client) => {
      // Whoever inserts it next waits for what becomes of this.
      await client.query("begin");
      await client.query("insert into credentials values ($1, 'microblog', 'x')", [last?.wallet]);
      const killed = spawnIdentitySigner(["import", "--from", to], env);
      const waits =
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      // A transaction would see what it saw at first.
      while ((await query(waits)).length === 0) await setImmediate();
      await killed.stop("SIGKILL");
      // The server would finish what it was asked.
      await query(waits.replace("1", "pg_terminate_backend(pid)"));
      while ((await query(waits)).length > 0) await setImmediate();
      await client.query("rollback");
    });
    expect(await store.list({ limit: 2 * pageSize })).to.have.length(pageSize);
    const imported = await importStore({ databaseUrl, masterSecret, from: to });
    expect(imported.credentials).to.deep.equal({ added: 2, replaced: 0, kept: pageSize });
    await store.close();
  }).timeout(120_000);
});
