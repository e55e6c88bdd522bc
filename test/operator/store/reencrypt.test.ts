import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { reencryptStore } from "../../../packages/operator/index.ts";
import { pageSize } from "../../../packages/store/database/paging.ts";
import { StoreUnavailableError } from "../../../packages/store/database/storeUnavailable.ts";
import { everyCredential, openCredentialStore, readStore } from "../../../signer/index.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { withClient } from "../../fixtures/signer/postgres.ts";
import { alice, bob, credential, engines, filledStore, newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const newSecret = () => hexlify(randomBytes(32));

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`identity-signer re-encrypt on ${engine}`, function () {
    this.timeout(120_000);

    /** A stopped service's store with so many credentials. */
    async function fixture(count: number) {
      const { options, query, open } = await filledStore(createDatabase, count - 1);
      const store = await open();
      // A wallet may have an account at each of several providers.
      const [{ wallet } = credential] = await store.list();
      await store.set({ ...credential, wallet, provider: "exchange", traits: {} });
      await store.close();
      const file = join(await temporaryFolder(), "next-secret");
      const next = newSecret();
      await writeFile(file, `${next}\n`, { mode: 0o600 });
      const env = {
        IDENTITY_DATABASE_URL: options.databaseUrl,
        IDENTITY_MASTER_SECRET: options.masterSecret,
      };
      /** All credentials, with this encryption secret. */
      async function readAll(encryptionSecret?: string) {
        const opened = await open({ encryptionSecret });
        const all = [];
        for await (const each of everyCredential(opened)) all.push(each);
        await opened.close();
        return all;
      }
      return { options, query, open, env, file, next, readAll };
    }

    it("encrypts every credential with the secret in a file, and then with the master secret again", async () => {
      const { options, query, env, file, next, readAll } = await fixture(pageSize + 1);
      const all = await readAll();
      const ran = await runIdentitySigner(["re-encrypt", "--to", file], env);
      expect(ran.code, ran.output).to.equal(0);
      expect(ran.output).to.include(`Re-encrypted ${pageSize + 1} credentials: the store's key id is `);
      expect((await rejection(openCredentialStore(options))).message).to.include("key id");
      expect(await readAll(next)).to.deep.equal(all);
      const texts = await query("select sealed from credentials");
      expect(new Set(texts.map(({ sealed }) => sealed)).size).to.equal(pageSize + 1);

      await writeFile(file, options.masterSecret.toUpperCase().replace("X", "x"));
      const withNext = { ...env, IDENTITY_ENCRYPTION_SECRET: next };
      const back = await runIdentitySigner(["re-encrypt", "--to", file], withNext);
      expect(back.output).to.include("Unset IDENTITY_ENCRYPTION_SECRET");
      expect(await readAll()).to.deep.equal(all);
      const again = await runIdentitySigner(["re-encrypt", "--to", file], env);
      expect([again.code, again.output.includes("already")]).to.deep.equal([1, true]);
    });

    it("leaves the store as it was or as it becomes, whenever it is killed", async () => {
      const count = 2 * pageSize;
      const outcomes = new Set<string>();
      for (const isLate of [false, true]) {
        const { env, file, next, readAll } = await fixture(count);
        const killed = spawnIdentitySigner(["re-encrypt", "--to", file], env);
        await killed.waitFor(isLate ? /the store's key id is/ : /so far/);
        await killed.stop("SIGKILL");
        const former = await readAll().catch(() => undefined);
        outcomes.add(former === undefined ? "new" : "old");
        expect(former ?? (await readAll(next))).to.have.length(count);
      }
      expect(outcomes).to.include("new");
    });

    it("refuses a credential that was altered by its name, and changes nothing", async () => {
      const { env, file, query, readAll } = await fixture(3);
      const [altered] = await query("select wallet from credentials order by wallet desc limit 1");
      await query(`update credentials set sealed = 'c1.x.y.z' where wallet = '${altered?.wallet}'`);
      const { code, output } = await runIdentitySigner(["re-encrypt", "--to", file], env);
      expect([code, output.includes(String(altered?.wallet))], output).to.deep.equal([1, true]);
      await query(`delete from credentials where wallet = '${altered?.wallet}'`);
      expect(await readAll()).to.have.length(2);
    });

    it("needs a file with a secret that nobody else can read", async () => {
      const { env, file } = await fixture(1);
      for (const [content, mode, word] of [
        ["0x12", 0o600, "64 hex digits"],
        [newSecret(), 0o644, "other users"],
      ] as const) {
        await writeFile(`${file}-${word}`, content, { mode });
        const { code, output } = await runIdentitySigner(["re-encrypt", "--to", `${file}-${word}`], env);
        expect([code, output.includes(word), output.includes(content)], output).to.deep.equal([
          1,
          true,
          false,
        ]);
      }
    });
  });
}

describe("A service whose store is re-encrypted although it runs", () => {
  it("reads and writes no credential with the former secret, and says why", async () => {
    const { PostgreSQL: createDatabase } = engines;
    if (createDatabase === undefined) throw new Error("There is no PostgreSQL.");
    const { store, options, query } = await newStore(createDatabase);
    await store.set(credential);
    await store.check();
    const next = newSecret();
    // As a service whose connections PostgreSQL does not list, since it has been idle.
    await withClient(options.databaseUrl, (client) =>
      client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      ),
    );
    // A reader is not in the way.
    const { credentials } = await readStore(options, () => reencryptStore(options, next));
    expect(credentials).to.equal(1);
    const [row] = await query("select sealed from credentials");
    for (const call of [
      () => store.check(),
      () => store.set({ ...credential, authenticatedAt: 1 }),
      () => store.find(alice, "microblog"),
    ]) {
      const error = await rejection(call());
      expect(error).to.be.instanceOf(StoreUnavailableError);
      expect(error.message).to.equal(
        "it was re-encrypted or replaced while this process had it open; restart the process with the store's secrets (STORE)",
      );
    }
    expect(await query("select sealed from credentials")).to.deep.equal([row]);
  });

  it("waits for what another connection is just changing", async () => {
    const { PostgreSQL: createDatabase } = engines;
    if (createDatabase === undefined) throw new Error("There is no PostgreSQL.");
    const { store, options, query } = await newStore(createDatabase);
    await store.set(credential);
    await store.set({ ...credential, wallet: bob });
    await store.close();
    await withClient(options.databaseUrl, async (client) => {
      await client.query(`begin; delete from credentials where wallet = '${bob}'`);
      const progress: number[] = [];
      const ran = reencryptStore(options, newSecret(), (count) => void progress.push(count));
      const waits =
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      while ((await query(waits)).length === 0) await setImmediate();
      await client.query("commit");
      expect((await ran).credentials).to.equal(1);
      expect(progress).to.deep.equal([1]);
    });
  });
});
