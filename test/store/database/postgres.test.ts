import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { listAudit, moveStore, reencryptStore } from "../../../packages/operator/index.ts";
import { readDatabaseLocation } from "../../../packages/store/database/databaseUrl.ts";
import { openDatabase } from "../../../packages/store/database/openDatabase.ts";
import { retryCalls } from "../../../packages/store/database/storeCalls.ts";
import { StoreUnavailableError } from "../../../packages/store/database/storeUnavailable.ts";
import { migrateStore, openCredentialStore } from "../../../signer/index.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { replace } from "../../fixtures/replace.ts";
import { sharedPostgres, withClient } from "../../fixtures/signer/postgres.ts";
import { serveProxyOf } from "../../fixtures/signer/postgresProxy.ts";
import { alice, credential, engines, newStore } from "../../fixtures/signer/stores.ts";

const pin = {
  chainId: 84532,
  consumer: `0x${"12".repeat(20)}`,
  policyHash: `0x${"ab".repeat(32)}`,
  cutoffBlock: 0n,
} as const;

const raised = { cutoffBlock: 1n, cutoffRises: 1, risesSince: 1 };

/** The connections of others to the same database. */
const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";

describe("A store on PostgreSQL", () => {
  it("says that a proxy takes no settings at the start of a session", async () => {
    // As Amazon RDS Proxy answers, in PostgreSQL's protocol: an error, its fields, its end.
    const fields = Buffer.from("SFATAL\0C0A000\0Mfeature not supported\0\0");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(fields.length + 4);
    const proxy = createServer((socket) =>
      socket.once("data", () => socket.end(Buffer.concat([Buffer.from("E"), length, fields]))),
    );
    onCleanup(() => proxy.close());
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const { options } = await fixture();
    const databaseUrl = `postgres://user@127.0.0.1:${port}/identity`;
    const refused = await rejection(openCredentialStore({ ...options, databaseUrl }));
    expect(refused.message).to.include("such as settings at the start of a session (options)");
  });

  const postgres = engines.PostgreSQL;
  if (postgres === undefined) throw new Error("no PostgreSQL");
  const fixture = () => newStore(postgres);

  it("sends single statements without transactions or sequences", async () => {
    const { store, query, options } = await fixture();
    await store.close();
    const database = new URL(options.databaseUrl).pathname.slice(1);
    await query(`alter database ${database} set log_statement = 'all'`);
    const server = await sharedPostgres();
    const from = server.log().length;
    const logged = await openCredentialStore(options);
    await logged.set(credential);
    await logged.set(credential);
    for (let i = 0; i < 3; i++) await logged.find(alice, "microblog");
    await logged.spendNonce("n", 2_000_000_000);
    await logged.raiseCutoff(await logged.pin(pin), raised);
    await logged.delete(alice, "microblog");
    await logged.list({ after: { wallet: alice, provider: "microblog" } });
    await logged.listPins();
    await logged.check();
    await logged.close();
    // The answer to the last statement may come before its line of the log.
    while (!server.log().slice(from).includes("transaction_read_only")) await setImmediate();
    const lines = server
      .log()
      .slice(from)
      .split("\n")
      .filter((line) => line.startsWith(`${database} `));
    const statements = lines.map((line) => /(?:statement|execute [^:]*): (.*)/.exec(line)?.[1] ?? "");
    expect(statements.filter((each) => /credentials|spent_nonces|pins/.test(each))).to.have.length.above(6);
    expect(
      statements.filter((each) => /^(begin|start|commit|rollback|savepoint|lock)\b/i.test(each)),
    ).to.deep.equal([]);
    // Three were looked for, and what changes one looks whether it is there.
    expect(statements.filter((each) => each.startsWith('select "sealed"'))).to.have.length(6);
    expect(await query("select relname from pg_class where relkind = 'S'")).to.deep.equal([]);
  });

  it("is created again if another replica is just creating the type of a table", async () => {
    const { databaseUrl, query } = await postgres();
    // Such a type is there before its table can be seen.
    await query("create type kysely_migration as enum ('half')");
    const opening = openCredentialStore({
      databaseUrl,
      masterSecret: `0x${"12".repeat(32)}`,
      chainId: 84532,
    });
    const early = await Promise.race([rejection(opening), setTimeout(300, "is tried again")]);
    expect(early).to.equal("is tried again");
    await query("drop type kysely_migration");
    await (await opening).close();
  });

  it("is created in its own schema beside another service's, and another program's, in other schemas", async () => {
    const { databaseUrl, query } = await postgres();
    const options = { masterSecret: `0x${"12".repeat(32)}`, chainId: 84532 };
    await query("create table kysely_migration (name text, timestamp text)");
    await query("create table properties (unlike text)");
    for (const schema of ["one", "Two Words"]) {
      await query(`create schema "${schema}"`);
      const url = `${databaseUrl}&options=${encodeURIComponent(`-csearch_path="${schema}"`.replaceAll(" ", "\\ "))}`;
      const masterSecret = `0x${(schema === "one" ? "34" : "56").repeat(32)}`;
      await migrateStore({ ...options, masterSecret, databaseUrl: url });
      const store = await openCredentialStore({ ...options, masterSecret, databaseUrl: url });
      await store.set(credential);
      expect(await store.list()).to.have.length(1);
      await store.close();
    }
    const missing = `${databaseUrl}&options=${encodeURIComponent("-csearch_path=nowhere")}`;
    const error = await rejection(openCredentialStore({ ...options, databaseUrl: missing }));
    expect(error.message).to.match(/its search_path names no schema that exists \(3F000\)\.$/);
  });

  it("waits for another replica's migration for as long as it takes, whatever limit the role has", async () => {
    const { databaseUrl, query } = await postgres();
    const database = new URL(databaseUrl).pathname.slice(1);
    const text = "varchar(255) not null";
    await query(`create table kysely_migration (name ${text} primary key, timestamp ${text})`);
    await query(`create table kysely_migration_lock (id ${text} primary key, is_locked integer not null)`);
    await query("insert into kysely_migration_lock values ('migration_lock', 0)");
    await query(`alter database ${database} set lock_timeout = 50`);
    await withClient(databaseUrl, async (other) => {
      await other.query("begin; select id from kysely_migration_lock for update");
      const migrating = migrateStore({ databaseUrl, masterSecret: `0x${"12".repeat(32)}`, chainId: 84532 });
      const early = await Promise.race([rejection(migrating), setTimeout(300, "still waits")]);
      expect(early).to.equal("still waits");
      await other.query("commit");
      await migrating;
    });
  });

  it("is moved and re-encrypted although the role ends transactions that are idle", async () => {
    const { store, options } = await fixture();
    await store.set(credential);
    await store.close();
    const other = await postgres();
    for (const { databaseUrl, query } of [{ ...options, query: other.query }, other]) {
      const database = new URL(databaseUrl).pathname.slice(1);
      await query(`alter database ${database} set idle_in_transaction_session_timeout = 100`);
    }
    // The target's transaction waits for the source's, which waits for another program.
    await withClient(options.databaseUrl, async (program) => {
      await program.query("set idle_in_transaction_session_timeout = 0");
      await program.query("begin; lock table credentials in row exclusive mode");
      const moving = moveStore(options, other.databaseUrl);
      await setTimeout(400);
      await program.query("commit");
      expect((await moving).credentials).to.equal(1);
    });
    const next = `0x${"34".repeat(32)}` as const;
    const moved = { ...options, databaseUrl: other.databaseUrl };
    expect((await reencryptStore(moved, next)).credentials).to.equal(1);
  });

  it("is given up after fifty attempts if such a type stays", async () => {
    const { databaseUrl, query } = await postgres();
    await query("create type kysely_migration as enum ('half')");
    // Without it, they take seconds.
    replace(Math, "random", () => 0);
    const masterSecret = `0x${"12".repeat(32)}`;
    const error = await rejection(openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 }));
    expect(error.message).to.equal(
      "The PostgreSQL database that IDENTITY_DATABASE_URL names cannot be used: it has another program's tables or types of the same names (42710).",
    );
  });

  describe("whose transactions others are in the way of", () => {
    /** Has the database undo the first so many changes of a table. */
    async function undoing(count: number, state: string) {
      const opened = await fixture();
      await opened.query("create sequence tries");
      await opened.query(
        `create function refuse() returns trigger language plpgsql as $$ begin if nextval('tries') <= ${count} then raise exception 'in the way' using errcode = '${state}'; end if; return null; end $$`,
      );
      for (const table of ["credentials", "spent_nonces", "pins"]) {
        await opened.query(
          `create trigger refuses after insert or update or delete on ${table} for each statement execute function refuse()`,
        );
      }
      return opened;
    }

    for (const [name, state] of Object.entries({ "serialization failure": "40001", deadlock: "40P01" })) {
      it(`tries again after a ${name}, whatever was asked`, async () => {
        const { store, query } = await undoing(5, state);
        await store.set(credential);
        expect((await store.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
        await query("alter sequence tries restart");
        expect(await store.delete(alice, "microblog")).to.equal(true);
        await query("alter sequence tries restart");
        expect(await store.spendNonce("n", 2_000_000_000)).to.equal(true);
        await query("alter sequence tries restart");
        const pinned = await store.pin(pin);
        await query("alter sequence tries restart");
        expect(await store.raiseCutoff(pinned, raised)).to.equal(true);
        await query("alter sequence tries restart");
        expect(await store.resetPins(pin.consumer)).to.have.length(1);
      });
    }

    it("gives up if the conflict never ends", async () => {
      const { store } = await undoing(1_000_000, "40001");
      await store.check();
      const before = await store.connections();
      const error = await rejection(store.set(credential));
      expect(error).to.be.instanceOf(StoreUnavailableError);
      expect(error.message).to.equal("it failed (40001)");
      expect(await store.connections(), "what was refused breaks none").to.deep.equal(before);
    });
  });

  describe("whose connections break", () => {
    it("continues over new connections", async () => {
      const { store, query } = await fixture();
      await store.set(credential);
      await Promise.all([store.find(alice, "microblog"), store.list(), store.listPins()]);
      await query(`select pg_terminate_backend(pid) ${others}`);
      expect((await store.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
      expect(await store.list()).to.have.length(1);
    });

    it("continues after the server has closed idle connections", async () => {
      const { store, query, options } = await fixture();
      await store.close();
      const database = new URL(options.databaseUrl).pathname.slice(1);
      await query(`alter database ${database} set idle_session_timeout = '250ms'`);
      const proxy = await serveProxyOf(options.databaseUrl);
      for (const [how, databaseUrl] of Object.entries({
        "with the server's reason": proxy.url,
        "with a broken pipe": options.databaseUrl,
      })) {
        const idle = await openCredentialStore({ ...options, databaseUrl });
        for (let i = 0; i < 3; i++) {
          // Its connections' ends wait in their sockets until it asks again.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
          expect(await idle.spendNonce(`${how} ${i}`, 2_000_000_000), how).to.equal(true);
        }
        await idle.close();
      }
    });

    /** Breaks the connection that waits for a table, while it waits; answers what came of what it was asked. */
    async function breakWhile(
      use: (store: Awaited<ReturnType<typeof fixture>>["store"]) => Promise<unknown>,
      {
        times = 1,
        mode = "access exclusive",
      }: { times?: number; mode?: "access exclusive" | "exclusive" } = {},
    ) {
      const { store, query, options } = await fixture();
      await store.set(credential);
      return withClient(options.databaseUrl, async (client) => {
        await client.query(`begin; lock table credentials, spent_nonces, pins in ${mode} mode`);
        const answer = Promise.allSettled([use(store)]);
        const broken = `select pg_terminate_backend(pid) ${others} and wait_event_type = 'Lock'`;
        // Within the transaction, what others do would be what it was at the first look.
        for (let i = 0; i < times; i++) while ((await query(broken)).length === 0) await setImmediate();
        await client.query("commit");
        return (await answer)[0];
      });
    }

    it("repeats a statement that may be repeated", async () => {
      const found = await breakWhile((store) => store.find(alice, "microblog"));
      expect(found.status).to.equal("fulfilled");
      const set = await breakWhile((store) => store.set(credential));
      expect(set.status).to.equal("fulfilled");
    });

    it("uses a connection no more that did not answer in time", async () => {
      const { options } = await fixture();
      const proxy = await serveProxyOf(options.databaseUrl);
      // Otherwise it may use a second connection to forget old nonces.
      const confirmClock = () => Promise.reject(new Error("The clock is off."));
      const store = await openCredentialStore({ ...options, databaseUrl: proxy.url, confirmClock });
      const patience = holdTimers(2_000);
      await store.set(credential);
      proxy.silence();
      const lost = rejection(store.list());
      while (proxy.dropped === 0) await setImmediate();
      patience.end();
      expect(await lost)
        .to.be.instanceOf(StoreUnavailableError)
        .and.include({ code: "ETIMEDOUT" });
      expect(await store.list()).to.have.length(1);
      await store.close();
    }).timeout(20_000);

    it("repeats a statement if the pool's next connection breaks too", async () => {
      const found = await breakWhile((store) => store.find(alice, "microblog"), { times: 2 });
      expect(found.status).to.equal("fulfilled");
    });

    it("reports a statement of unknown outcome that may not be repeated", async () => {
      const uses: Record<string, Parameters<typeof breakWhile>[0]> = {
        delete: (store) => store.delete(alice, "microblog"),
        spendNonce: (store) => store.spendNonce("n", 2_000_000_000),
        resetPins: (store) => store.resetPins(pin.consumer),
      };
      for (const [name, use] of Object.entries(uses)) {
        // Lets who only reads go on.
        const outcome = await breakWhile(use, { mode: "exclusive" });
        expect((outcome as PromiseRejectedResult).reason, name).to.be.instanceOf(StoreUnavailableError);
      }
      let calls = 0;
      const failure = () => new StoreUnavailableError("", "", calls++ === 0 ? "always" : "when-idempotent");
      await rejection(retryCalls({ lose: () => Promise.reject(failure()) }, ["lose"]).lose());
      expect(calls, "the second failure allows no other attempt").to.equal(2);
    });
  });

  it("tells how many of its connections are busy, and how many calls wait for one", async () => {
    const { store, options } = await fixture();
    await withClient(options.databaseUrl, async (client) => {
      await client.query("begin; lock table credentials");
      const found = Promise.all(Array.from({ length: 12 }, () => store.find(alice, "microblog")));
      while ((await store.connections())?.waiting !== 2) await setImmediate();
      expect(await store.connections()).to.deep.equal({ busy: 10, idle: 0, waiting: 2, max: 10 });
      await client.query("commit");
      await found;
    });
    expect(await store.connections()).to.deep.equal({ busy: 0, idle: 10, waiting: 0, max: 10 });
  });

  for (const mode of ["off", "local"]) {
    it(`waits for disk and standby before it answers, also if the role has ${mode}`, async () => {
      const { store, query, options } = await fixture();
      await store.close();
      const database = new URL(options.databaseUrl).pathname.slice(1);
      await query(`alter database ${database} set synchronous_commit = ${mode}`);
      await query(
        "create function note() returns trigger language plpgsql as $$ begin raise warning 'which the service does not mind'; insert into properties values ('commit', current_setting('synchronous_commit')); return null; end $$",
      );
      await query("create trigger notes after insert on credentials execute function note()");
      const again = await openCredentialStore(options);
      await again.set(credential);
      await again.close();
      expect(await query("select value from properties where name = 'commit'")).to.deep.equal([
        { value: "on" },
      ]);
    });
  }

  for (const level of ["notice", "error"]) {
    it(`does not report a write as stored that was given up before a standby had it, also if the role is told of ${level}s`, async () => {
      const { options, query } = await fixture();
      const database = new URL(options.databaseUrl).pathname.slice(1);
      await query(`alter database ${database} set client_min_messages = ${level}`);
      const store = await openCredentialStore(options);
      onCleanup(store.close);
      const setStandbys = async (change: string) => {
        await query(`alter system ${change}`);
        await query("select pg_reload_conf()");
      };
      onCleanup(() => setStandbys("reset synchronous_standby_names"));
      await setStandbys("set synchronous_standby_names = 'nobody'");
      // As a timeout of the server's does, in the middle of the commit.
      const giveUp = `select pg_cancel_backend(pid) ${others} and wait_event = 'SyncRep'`;
      let outcome: PromiseSettledResult<void> = { status: "fulfilled", value: undefined };
      // Until the server has read its settings anew, it waits for nobody.
      for (let givenUp = false; !givenUp; ) {
        let isAnswered = false;
        const answer = Promise.allSettled([store.set(credential)]).finally(() => {
          isAnswered = true;
        });
        while (!givenUp && !isAnswered) givenUp = (await query(giveUp)).length > 0;
        [outcome] = await answer;
      }
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason).to.be.instanceOf(StoreUnavailableError);
      expect(reason.message).to.include("no standby confirms it");
      await setStandbys("reset synchronous_standby_names");
      await store.set(credential);
    });
  }

  it("does not read from a read-only server, whose data may be old", async () => {
    const { store, query, options } = await fixture();
    await store.set(credential);
    const database = new URL(options.databaseUrl).pathname.slice(1);
    await query(`alter database ${database} set default_transaction_read_only = on`);
    await query(`select pg_terminate_backend(pid) ${others}`);
    for (const read of [() => store.find(alice, "microblog"), () => store.list()]) {
      expect(await rejection(read()))
        .to.be.instanceOf(StoreUnavailableError)
        .and.include({ code: "25006" });
    }
    await withClient(options.databaseUrl, async (client) => {
      await client.query("set session characteristics as transaction read write");
      await client.query(`alter database ${database} reset default_transaction_read_only`);
    });
    expect((await store.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
  });

  it("is no standby for who wants the newest entries of its audit trail", async () => {
    const { options, query, store } = await fixture();
    await store.close();
    const list = (mustBeNew: boolean) =>
      listAudit({ ...options, mustBeNew }, () => expect.fail(), expect.fail);
    await list(true);
    const database = new URL(options.databaseUrl).pathname.slice(1);
    await query("create function pg_is_in_recovery() returns boolean language sql as 'select true'");
    await query(`alter database ${database} set search_path = public, pg_catalog`);
    await list(false);
    expect((await rejection(list(true))).message).to.equal(
      "The database (IDENTITY_DATABASE_URL) is a standby, which may lack the newest entries of the audit trail: name the primary.",
    );
  });

  it("says in words what its server's codes mean", async () => {
    const { store, query } = await fixture();
    const meanings = {
      "25P04": "it ended a long transaction",
      "53100": "its disk is full",
      "53200": "it cannot work right now",
      "53300": "it takes no more connections",
      "55P03": "another program locks its tables",
      "57P01": "it cannot work right now",
      "58030": "its disk fails",
      XX001: "its files are damaged",
    };
    for (const [code, meaning] of Object.entries(meanings)) {
      await query(
        `create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'no' using errcode = '${code}'; end $$`,
      );
      await query(
        "create or replace trigger refuses before insert on audit for each row execute function refuse()",
      );
      expect((await rejection(store.set(credential))).message).to.equal(`${meaning} (${code})`);
    }
  });

  it("is written to by nobody who opened it for reading", async () => {
    const { options } = await fixture();
    const reading = await openDatabase(readDatabaseLocation(options.databaseUrl), "read");
    onCleanup(reading.close);
    expect(await rejection(reading.db.deleteFrom("properties").execute())).to.include({ code: "25006" });
  });

  it("says at once that its role may not create tables", async () => {
    const { store, query, options } = await fixture();
    await store.close();
    await query("drop schema public cascade");
    await query("create schema public");
    await query("create role lessee login");
    onCleanup(() => query("drop owned by lessee").then(() => query("drop role lessee")));
    await query("grant usage on schema public to lessee");
    const url = Object.assign(new URL(options.databaseUrl), { username: "lessee" });
    const began = performance.now();
    const error = await rejection(openCredentialStore({ ...options, databaseUrl: url.href }));
    expect(error.message).to.include("the user may not do what has to be done (42501)");
    // Another process's migration would be waited for 50 times.
    expect(performance.now() - began).to.be.below(1_500);
  });

  it("reports a database that cannot be written to", async () => {
    const { store, query, options } = await fixture();
    await store.check();
    await store.close();
    const database = new URL(options.databaseUrl).pathname.slice(1);
    const again = await openCredentialStore(options);
    await query(`alter database ${database} set default_transaction_read_only = on`);
    await query(`select pg_terminate_backend(pid) ${others}`);
    expect(await rejection(again.check())).to.be.instanceOf(StoreUnavailableError);
    await again.close();
  });
});
