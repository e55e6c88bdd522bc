import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type { Context } from "mocha";
import { development } from "../../../packages/protocol/development.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { passTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { servePgBouncer } from "../../fixtures/signer/pgbouncer.ts";
import { installed, type PostgresServer, startPostgres, withClient } from "../../fixtures/signer/postgres.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { alice, credential, fill } from "../../fixtures/signer/stores.ts";
import { skip } from "../../fixtures/skip.ts";
import { root } from "../../fixtures/tasks/hardhat.ts";

describe("A service whose PostgreSQL goes away", () => {
  async function fixture() {
    const server = await startPostgres();
    const databaseUrl = await server.createDatabase();
    const stack = await startStack({ IDENTITY_DATABASE_URL: databaseUrl });
    const { wallet, address } = await stack.participate();
    const ask = async () => requestVerification(stack.url, await signedRequest(wallet, address));
    const readiness = async (milliseconds = 1_000) => {
      passTime(milliseconds);
      const response = await fetch(`${stack.url}/readyz`);
      const { checks } = (await response.json()) as { checks: { store: { ok: boolean } } };
      return { status: response.status, store: checks.store.ok };
    };
    expect((await ask()).status).to.equal(200);
    expect(await readiness()).to.deep.equal({ status: 200, store: true });
    return { ...stack, databaseUrl, server, ask, readiness };
  }

  const outages: Record<
    string,
    [begin: (server: PostgresServer) => unknown, end: (server: PostgresServer) => unknown]
  > = {
    "is killed": [(server) => server.kill(), (server) => server.start()],
    hangs: [(server) => server.freeze(), (server) => server.thaw()],
  };
  for (const [name, [begin, end]] of Object.entries(outages)) {
    it(`answers store_unavailable when it ${name}, signs nothing from memory, and recovers by itself`, async () => {
      const { server, ask, readiness, service } = await fixture();
      await begin(server);
      const answers = await Promise.all([ask(), ask(), ask()]);
      for (const { status, body, response } of answers) {
        expect([status, body.code]).to.deep.equal([503, "store_unavailable"]);
        expect(Number(response.headers.get("retry-after"))).to.be.greaterThan(0);
        expect(body).not.to.have.property("signature");
      }
      expect(await readiness()).to.deep.equal({ status: 503, store: false });
      expect(service.log.join("")).to.include("The credential store is unavailable: ");
      await end(server);
      let last = await ask();
      for (let i = 0; i < 20 && last.status !== 200; i++) last = await ask();
      expect(last.status).to.equal(200);
      expect(await readiness()).to.deep.equal({ status: 200, store: true });
    }).timeout(60_000);
  }

  it("is not ready while no standby confirms what is written, though nobody asks for anything", async () => {
    const { databaseUrl, ask, readiness } = await fixture();
    const setStandbys = (names: string) =>
      withClient(databaseUrl, async (client) => {
        await client.query(`alter system set synchronous_standby_names = '${names}'`);
        await client.query("select pg_reload_conf()");
      });
    const untilReady = async (status: number) => {
      // The server's processes learn of it one after the other.
      for (let i = 0; i < 20; i++) {
        const found = await readiness(5_000);
        if (found.status === status) return found;
      }
      return undefined;
    };
    await setStandbys("*");
    expect(await untilReady(503)).to.deep.equal({ status: 503, store: false });
    const { status, body } = await ask();
    expect([status, body.code]).to.deep.equal([503, "store_unavailable"]);
    await setStandbys("");
    expect(await untilReady(200)).to.deep.equal({ status: 200, store: true });
    expect((await ask()).status).to.equal(200);
  }).timeout(120_000);
});

describe("Debian's PostgreSQL", function () {
  this.timeout(60_000);

  async function fixture(test: Context) {
    if (!existsSync(installed)) skip(test, "there is no PostgreSQL 15", "apt-get install postgresql-15");
    const server = await startPostgres(undefined, installed);
    return new URL(await server.createDatabase());
  }
  const open = (databaseUrl: string | URL) =>
    openCredentialStore({
      databaseUrl: String(databaseUrl),
      masterSecret: development.masterSecret,
      chainId: 84532,
    });

  /** Gives the role the limit that a pooler drops from a connection. */
  const limitStatements = (direct: string) =>
    withClient(direct, (client) => client.query("alter role identity set statement_timeout = 2000"));

  it("says at once that a role may not create tables in a new database, and serves it where they are", async function () {
    const url = await fixture(this);
    const lessee = Object.assign(new URL(url), { username: "lessee" });
    await withClient(url.href, (client) => client.query("create role lessee login"));
    const began = performance.now();
    const refused = await rejection(open(lessee));
    expect(refused.message).to.include("the user may not do what has to be done (42501)");
    expect(performance.now() - began).to.be.below(3_000);

    await (await open(url)).close();
    const grant = "grant select, insert, update, delete on all tables in schema public to lessee";
    await withClient(url.href, (client) => client.query(grant));
    const store = await open(lessee);
    await store.set(credential);
    expect((await store.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
    await store.close();
  });

  it("is reached over a Unix socket, in the forms that its own programs take", async function () {
    const url = await fixture(this);
    const [folder = "", database] = [url.searchParams.get("host") ?? "", url.pathname];
    for (const form of [
      `postgresql://identity@${database}?host=${folder}`,
      `postgresql://${database}?host=${encodeURIComponent(folder)}&user=identity&port=5432`,
      `postgresql://identity@${encodeURIComponent(folder)}${database}`,
    ]) {
      const { status } = spawnSync(join(installed, "psql"), [form, "--command", "select 1"]);
      expect(status, form).to.equal(0);
      await (await open(form)).close();
    }
  });

  for (const [what, settings] of [
    ["a mode without transactions", { mode: "statement" }],
    ["another database", { database: "other" }],
    ["no tolerance of a connection's options", { ignored: "" }],
  ] as const) {
    it(`is behind a PgBouncer with ${what}: the store says so at once`, async function () {
      const direct = (await fixture(this)).href;
      await limitStatements(direct);
      const error = await rejection(open(await servePgBouncer(this, direct, settings)));
      expect(error.message).to.include(
        "its pooler refuses it, and says why in its log; PgBouncer needs ignore_startup_parameters = options",
      );
    });
  }

  for (const mode of ["transaction", "session"]) {
    it(`refuses a PgBouncer in ${mode} mode whose role lacks the settings of the service`, async function () {
      const direct = (await fixture(this)).href;
      const databaseUrl = await servePgBouncer(this, direct, { mode });
      const lacking = (settings: string) =>
        `The PostgreSQL database that IDENTITY_DATABASE_URL names cannot be used: a pooler in front of it drops settings that the service needs; give them to the role: ${settings} (22023).`;
      await withClient(direct, (client) =>
        client.query(
          "alter role identity set synchronous_commit = local; alter role identity set client_min_messages = error",
        ),
      );
      expect((await rejection(open(databaseUrl))).message).to.equal(
        lacking(
          "alter role <user> set statement_timeout = 2000; alter role <user> set synchronous_commit = on; alter role <user> set client_min_messages = warning",
        ),
      );
    });
  }

  it("is used through a PgBouncer in transaction mode whose role has the settings of the service", async function () {
    const direct = (await fixture(this)).href;
    await limitStatements(direct);
    const databaseUrl = await servePgBouncer(this, direct);
    const store = await open(databaseUrl);
    await store.set(credential);
    expect((await store.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
    await withClient(direct, async (client) => {
      await client.query("begin; lock table credentials in access exclusive mode");
      const late = await rejection(store.find(alice, "microblog"));
      expect(late.message).to.include("it does not answer in time");
      await client.query("rollback");
    });
    await store.close();
  });
});

/** Returns the SQL statements of a section of the guide. */
function statementsOf(title: string): string[] {
  const section = readFileSync(join(root, "docs/store.md"), "utf8").split(`## ${title}\n`)[1] ?? "";
  const block = /```sql\n(.*?)```/s.exec(section)?.[1] ?? "";
  const statements = block.split(";").map((each) => each.trim());
  return statements.filter((each) => each !== "");
}

describe("Two replicas on a PostgreSQL that checks passwords", () => {
  it("answer every request while the password is changed by the steps that docs/store.md names", async () => {
    const server = await startPostgres();
    const ownerUrl = await server.createDatabase();
    const asOwner = (statement: string) => withClient(ownerUrl, (client) => client.query(statement));
    const folder = new URL(ownerUrl).searchParams.get("host") ?? "";
    await asOwner("create role service login password 'the first'");
    await asOwner("grant all on schema public to service");
    const rules = "local all identity trust\nlocal all all scram-sha-256\n";
    await writeFile(join(folder, "files/pg_hba.conf"), rules);
    await asOwner("select pg_reload_conf()");
    const urlAs = (username: string, password: string) =>
      Object.assign(new URL(ownerUrl), { username, password }).href;

    const stack = await startStack({ IDENTITY_DATABASE_URL: urlAs("service", "the first") });
    const { wallet, address } = await stack.participate();
    const serving = [stack.service, await stack.startReplica()];
    let isOver = false;
    const answers: unknown[] = [];
    const pending = new Set<Promise<unknown>>();
    const ask = async () => {
      const { url } = serving[answers.length % serving.length] ?? stack.service;
      const { status, body } = await requestVerification(url, await signedRequest(wallet, address));
      answers.push(status === 200 ? status : body);
    };
    const load = async () => {
      while (!isOver) {
        const asked = ask();
        pending.add(asked);
        await asked;
        pending.delete(asked);
      }
    };
    const loads = Promise.all([load(), load()]);

    for (const statement of statementsOf("Changing the password")) {
      await asOwner(statement.replaceAll("identity", "service").replace("<password>", "the second"));
    }
    for (const former of [...serving]) {
      serving.splice(serving.indexOf(former), 1);
      await Promise.all(pending);
      await former.close();
      const databaseUrl = urlAs("service_2", "the second");
      serving.push(await stack.startReplica({ IDENTITY_DATABASE_URL: databaseUrl }));
    }
    await asOwner("alter role service password null");
    const before = answers.length;
    while (answers.length < before + 20) await delay(10);
    isOver = true;
    await loads;
    expect(answers.filter((answer) => answer !== 200)).to.deep.equal([]);

    const refused = await rejection(
      openCredentialStore({
        databaseUrl: urlAs("service", "the first"),
        masterSecret: development.masterSecret,
        chainId: 84532,
      }),
    );
    expect(refused.message).to.include("it refuses the user or the password (28P01)");
  }).timeout(60_000);
});

describe("A wallet that was deleted from PostgreSQL", () => {
  it("is in none of the server's files after the steps that docs/store.md names", async () => {
    const server = await startPostgres();
    const databaseUrl = await server.createDatabase();
    const store = await openCredentialStore({
      databaseUrl,
      masterSecret: development.masterSecret,
      chainId: 84532,
    });
    onCleanup(() => store.close());
    await fill(store, 600);
    const all = await store.list();
    // At the beginning, in the middle and at the end of the table's pages.
    const deleted = all.filter((_, i) => i % 7 === 0).map(({ wallet }) => wallet);
    const kept = all.find(({ wallet }) => !deleted.includes(wallet))?.wallet ?? "";
    const run = (statement: string) => withClient(databaseUrl, (client) => client.query(statement));
    // As PostgreSQL does by itself from time to time: its statistics then contain wallets, too.
    await run("analyze credentials");
    await run("checkpoint");
    for (const wallet of deleted) await store.delete(wallet, "microblog");
    const folder = join(new URL(databaseUrl).searchParams.get("host") ?? "", "files");
    expect(await filesWith(folder, deleted), "before").not.to.deep.equal([]);

    const steps = statementsOf("How erasure works");
    for (const step of steps) await run(step);
    expect(await filesWith(folder, deleted), "after").to.deep.equal([]);
    expect(await filesWith(folder, [kept])).not.to.deep.equal([]);
  }).timeout(120_000);

  /** Returns the files in a folder that contain one of these addresses, in any case. */
  async function filesWith(folder: string, addresses: readonly string[]): Promise<string[]> {
    const sought = new RegExp(addresses.join("|"), "i");
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const found = [];
    for (const file of files) if (sought.test((await readFile(file)).toString("latin1"))) found.push(file);
    return found;
  }
});
