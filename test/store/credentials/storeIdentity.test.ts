import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { getBytes, hexlify, randomBytes } from "ethers";
import { moveStore, reencryptStore, verifyAudit } from "../../../packages/operator/index.ts";
import { deriveKey, keyId } from "../../../packages/protocol/keys.ts";
import { describeStoreFailure } from "../../../packages/store/database/operateStore.ts";
import type { StoreAccess } from "../../../packages/store/database/properties.ts";
import { StoreUnavailableError } from "../../../packages/store/database/storeUnavailable.ts";
import {
  backUpStore,
  loadConfig,
  openCredentialStore,
  readStore,
  type StoreOptions,
  startSigner,
} from "../../../signer/index.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { readAudit } from "../../fixtures/signer/audit.ts";
import { withClient } from "../../fixtures/signer/postgres.ts";
import { alice, bob, credential, engines, fill, type newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const newSecret = () => hexlify(randomBytes(32));
const idOf = (secret: string) => keyId(deriveKey(getBytes(secret), "credential"));
const masterIdOf = (secret: string) => keyId(deriveKey(getBytes(secret), "store-check"));

/** Everything in a database: the bytes and times of SQLite's files without its index of the log, or all rows and tables. */
async function snapshot(databaseUrl: string): Promise<unknown> {
  if (databaseUrl.startsWith("file:")) {
    const file = databaseUrl.slice("file:".length);
    const names = (await readdir(dirname(file))).filter((name) => !name.endsWith("-shm")).sort();
    return Promise.all(
      names.map(async (name) => {
        const path = join(dirname(file), name);
        return [name, (await stat(path)).mtimeMs, (await readFile(path)).toString("base64")];
      }),
    );
  }
  return withClient(databaseUrl, async (client) => {
    const tables = await client.query(
      "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
    );
    const content: unknown[] = [];
    for (const { name } of tables.rows) {
      content.push(
        (await client.query(`select '${name}' as its, xmin, t.* from ${name} t order by t::text`)).rows,
      );
    }
    return content;
  });
}

/** The store of a service that has ended, encrypted with a secret of its own, and what a command needs to open it. */
async function fixture(
  createDatabase: Parameters<typeof newStore>[0],
  how: "stopped" | "killed" = "stopped",
) {
  const { databaseUrl, query } = await createDatabase();
  const secrets = { masterSecret: newSecret(), encryptionSecret: newSecret() };
  const options = { databaseUrl, ...secrets, chainId: 84532 };
  const store = await openCredentialStore(options);
  await fill(store, 3);
  await store.set(credential);
  // A killed one leaves its last writes in SQLite's log. The next process that opens the file to write moves them into it.
  const files = how === "killed" && databaseUrl.startsWith("file:") ? ["", "-wal"] : [];
  const saved = await Promise.all(files.map((end) => readFile(databaseUrl.slice("file:".length) + end)));
  await store.close();
  await Promise.all(
    files.map((end, i) =>
      writeFile(databaseUrl.slice("file:".length) + end, saved[i] ?? "", { mode: 0o600 }),
    ),
  );
  const env = {
    IDENTITY_DATABASE_URL: databaseUrl,
    IDENTITY_MASTER_SECRET: secrets.masterSecret,
    IDENTITY_ENCRYPTION_SECRET: secrets.encryptionSecret,
  };
  return { options, env, query, ...secrets };
}

const reading = [
  ["credential", "list"],
  ["pins", "list"],
  ["audit", "list"],
  ["audit", "verify"],
];

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`A store on ${engine} and its secrets`, function () {
    this.timeout(180_000);

    it("a start, and each command, with another secret or chain is refused with both key ids, and changes nothing", async () => {
      const { env, options, masterSecret, encryptionSecret } = await fixture(createDatabase, "killed");
      const folder = await temporaryFolder();
      const secretFile = join(folder, "next-secret");
      await writeFile(secretFile, newSecret(), { mode: 0o600 });
      const target = join(folder, "target.sqlite");
      const [other, otherMaster] = [newSecret(), newSecret()];
      const sealed = (got: string) =>
        `The credential store is encrypted with a secret whose key id is ${idOf(encryptionSecret)}; ${got}. Set the store's secret. Only identity-signer re-encrypt changes it.`;
      const before = await snapshot(options.databaseUrl);
      const wrong = [
        [
          { IDENTITY_ENCRYPTION_SECRET: other },
          sealed(`the key id of IDENTITY_ENCRYPTION_SECRET is ${idOf(other)}`),
        ],
        [
          { IDENTITY_ENCRYPTION_SECRET: "" },
          sealed(
            `IDENTITY_ENCRYPTION_SECRET is not set, and the master secret's key id is ${idOf(masterSecret)}`,
          ),
        ],
        [
          { IDENTITY_MASTER_SECRET: otherMaster },
          `The master secret (IDENTITY_MASTER_SECRET) is not the one that this credential store was created with: its key id is ${masterIdOf(otherMaster)}, and the store's is ${masterIdOf(masterSecret)}. Set that one. A new service needs its own store (IDENTITY_DATABASE_URL).`,
        ],
        [
          { IDENTITY_CHAIN_ID: "8453", IDENTITY_REGISTRY: alice },
          "This credential store is for chain 84532, and IDENTITY_CHAIN_ID is 8453. Each chain needs its own store (IDENTITY_DATABASE_URL).",
        ],
      ] as const;
      const account = ["--wallet", alice, "--provider", "microblog"];
      const writing = ["credential", "set", ...account, "--account-id", "1"];
      for (const [i, [change, message]] of wrong.entries()) {
        const all = [
          ...reading,
          ["credential", "delete", ...account],
          ["pins", "reset", "--consumer", bob],
          ["sessions", "end"],
          ["migrate"],
          ["re-encrypt", "--to", secretFile],
          ["move", options.databaseUrl, `file:${target}`],
        ];
        for (const args of [writing, ...(i === 0 ? all : reading.slice(0, 1))]) {
          const { code, output } = await runIdentitySigner(args, { ...env, ...change });
          expect([code, output], args.join(" ")).to.deep.equal([1, `${message}\n`]);
        }
        const config = loadConfig({
          ...env,
          ...change,
          IDENTITY_RPC_URL: "http://127.0.0.1:1",
          IDENTITY_REGISTRY: alice,
          IDENTITY_SIGNING_KEY: newSecret(),
          IDENTITY_PORT: "0",
          IDENTITY_PUBLIC_URL: "https://identity.example",
          IDENTITY_LOG_LEVEL: "silent",
        });
        expect((await rejection(startSigner(config))).message).to.equal(message);
      }
      expect(await snapshot(options.databaseUrl)).to.deep.equal(before);
      expect(await readdir(folder)).to.deep.equal(["next-secret"]);
      const again = await openCredentialStore(options);
      expect((await again.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
      await again.close();
    });

    it("a command that reads writes nothing, and needs no right to", async () => {
      const { env, options } = await fixture(createDatabase);
      const readOnly = await makeReadOnly(options.databaseUrl);
      const before = await snapshot(options.databaseUrl);
      for (const args of [...reading, ["migrate", "--status"]]) {
        const { code, output } = await runIdentitySigner(args, { ...env, IDENTITY_DATABASE_URL: readOnly });
        expect(code, `${args.join(" ")}: ${output}`).to.equal(0);
      }
      expect(await snapshot(options.databaseUrl)).to.deep.equal(before);
    });

    it("is not created by a command that knows no chain, nor read before it is created", async () => {
      const { databaseUrl, query } = await createDatabase();
      const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: newSecret() };
      expect((await runIdentitySigner(["migrate"], env)).code).to.equal(0);
      const args = ["credential", "set", "--wallet", alice, "--provider", "microblog", "--account-id", "1"];
      expect((await runIdentitySigner(args, env)).output).to.include("set IDENTITY_CHAIN_ID");
      for (const unused of [
        ["credential", "list"],
        ["audit", "list"],
      ]) {
        const { code, output } = await runIdentitySigner(unused, env);
        expect({ code, output }).to.deep.equal({
          code: 1,
          output:
            "The credential store (IDENTITY_DATABASE_URL) is migrated, but was never used: start the service first.\n",
        });
      }
      expect(await query("select * from properties")).to.deep.equal([]);
      const ofChain = await runIdentitySigner(args, { ...env, IDENTITY_CHAIN_ID: "10" });
      expect(ofChain.output).to.include("IDENTITY_REGISTRY is not set");
      expect(await query("select * from properties")).to.deep.equal([]);
      const known = { ...env, IDENTITY_CHAIN_ID: "10", IDENTITY_REGISTRY: alice };
      const made = await runIdentitySigner(args, known);
      expect(made.code, made.output).to.equal(0);
      const elsewhere = await runIdentitySigner(args, { ...known, IDENTITY_REGISTRY: bob });
      expect(elsewhere.output).to.include(`This credential store is for the registry ${alice}`);
    });

    it("is refused with the whole of what is wrong, and of what to do", async () => {
      const { options, query, encryptionSecret } = await fixture(createDatabase);
      const { databaseUrl } = options;
      const [path, folder] = [databaseUrl.slice("file:".length), await temporaryFolder()];
      const isFile = engine === "SQLite";
      const [other, id] = [newSecret(), idOf(encryptionSecret)];
      const fresh = { ...options, databaseUrl: (await createDatabase()).databaseUrl };
      const empty =
        "The credential store (IDENTITY_DATABASE_URL) is empty, or lacks migrations: start the service, or run identity-signer migrate.";
      const readAll = (access: StoreAccess) => readStore(access, ({ list }) => list());
      const opened = (changed: Partial<StoreOptions>) => openCredentialStore({ ...options, ...changed });
      const unknown = (table: string) =>
        `The credential store (IDENTITY_DATABASE_URL) has rows in its table ${table}, and does not say which store it is: its property "store" was removed, or it is from before the first release. Restore a backup, or start with an empty database.`;
      // PostgreSQL lists a service under its own name, whatever the URL says.
      const named = `${databaseUrl}${databaseUrl.includes("?") ? "&" : "?"}application_name=mine`;
      const running = await opened({ databaseUrl: isFile ? databaseUrl : named });
      await running.find(alice, "microblog");
      const aloneOnly = isFile
        ? `Another process has ${path} open. Stop the service, and every other program that uses the store, and try again.`
        : "Another process has the store open: PostgreSQL lists N of its connections, from this machine. Stop every service, and try again. A pooler such as PgBouncer keeps connections for a while: connect past it, or wait.";
      const noStore = `There is no credential store at ${fresh.databaseUrl.slice("file:".length)} (IDENTITY_DATABASE_URL).`;
      const ofServer = "A PostgreSQL database is backed up by its own tools, such as pg_dump.";
      const [there, away] = [join(folder, "there"), join(folder, "away/copy")];
      const unwritable = `${away} cannot be written: ENOENT: no such file or directory, open '${away}.unfinished'.`;
      const refusals: Record<string, () => Promise<unknown>> = {
        [aloneOnly]: () => reencryptStore(options, other).finally(running.close),
        [isFile ? noStore : empty]: () => readAll(fresh),
        "The credential store is new, and its chain is not known: start the service first, or set IDENTITY_CHAIN_ID.":
          () => openCredentialStore({ ...fresh, chainId: undefined }),
        "The credential store (IDENTITY_DATABASE_URL) is migrated, but was never used: start the service first.":
          () => readAll(fresh),
        [`The store is encrypted with this secret already (key id ${id}); give another one.`]: () =>
          reencryptStore(options, encryptionSecret),
        "The two databases are the same; move the store to another one.": async () => {
          // PostgreSQL has many URLs for one database: it is noticed by its rows, and not by waiting for its own lock.
          const otherwise = databaseUrl.replace("file:", "file://").replace(/^postgresql:/, "postgres:");
          const { message } = await rejection(moveStore(options, otherwise));
          expect(message).to.match(
            isFile ? /^The two databases are the same;/ : /is not empty: .* Nothing was moved/,
          );
          return await moveStore(options, databaseUrl);
        },
        "The database to move to is not empty: its table properties has rows. Nothing was moved; give an empty database.":
          async () => {
            await (await openCredentialStore({ ...fresh, chainId: 1 })).close();
            await moveStore(options, fresh.databaseUrl);
          },
        [isFile ? `${there} exists already; a backup needs a new file.` : ofServer]: () =>
          backUpStore(databaseUrl, there),
        [isFile ? unwritable : ofServer]: () => backUpStore(databaseUrl, away),
        [`The credential ["${alice}","microblog"] cannot be opened: it was altered, or is from another store. Delete it with identity-signer credential delete, or restore a backup.`]:
          async () => {
            await query(`update credentials set sealed = 'c1.x.y.z' where wallet = '${alice}'`);
            await readAll(options);
          },
        [unknown("credentials")]: async () => {
          await query("delete from properties");
          await opened({});
        },
        [unknown("audit")]: async () => {
          for (const table of ["credentials", "pins"]) await query(`delete from ${table}`);
          await opened({});
        },
        [`The database file ${there} cannot be used: file is not a database (SQLite 26).`]: () =>
          readAll({ ...options, databaseUrl: `file:${there}` }),
        "The credential store (IDENTITY_DATABASE_URL) fails: it failed (X). Completed changes stay; try again.":
          () => Promise.reject(describeStoreFailure(new StoreUnavailableError("it failed", "X"))),
      };
      await writeFile(there, "no database".repeat(100), { mode: 0o600 });
      for (const [message, act] of Object.entries(refusals)) {
        const error = await rejection(act());
        expect([error.name, error.message.replace(/lists \d+ of/, "lists N of")]).to.deep.equal([
          "InvalidInputError",
          message,
        ]);
      }
    });

    it("is refused in the place of another registry's, also when its record says otherwise", async () => {
      const masterSecret = newSecret();
      const create = async (registry: string) => {
        const created = await createDatabase();
        const options = { databaseUrl: created.databaseUrl, masterSecret, chainId: 84532, registry };
        const store = await openCredentialStore(options);
        await store.set({ ...credential, wallet: registry });
        await store.close();
        return created;
      };
      const [{ databaseUrl, query }, other] = [await create(alice), await create(bob)];
      const env = {
        IDENTITY_DATABASE_URL: databaseUrl,
        IDENTITY_MASTER_SECRET: masterSecret,
        IDENTITY_CHAIN_ID: "84532",
        IDENTITY_REGISTRY: alice,
      };
      const config = loadConfig({
        ...env,
        IDENTITY_RPC_URL: "http://127.0.0.1:1",
        IDENTITY_SIGNING_KEY: newSecret(),
        IDENTITY_PORT: "0",
        IDENTITY_PUBLIC_URL: "https://identity.example",
        IDENTITY_LOG_LEVEL: "silent",
      });
      const commands = [
        ["audit", "verify"],
        ["credential", "list"],
        ["pins", "list"],
      ];
      for (const args of commands) {
        const { code, output } = await runIdentitySigner(args, env);
        expect(code, output).to.equal(0);
      }
      // A whole store takes the place of the other.
      for (const table of ["credentials", "audit", "properties"]) {
        await query(`delete from ${table}`);
        for (const row of await other.query(`select * from ${table}`)) {
          await query(`insert into ${table} values ('${Object.values(row).join("','")}')`);
        }
      }
      const [moved] = await query("select value from properties where name = 'store'");
      const genuine = String(moved?.value);
      const altered = `The credential store (IDENTITY_DATABASE_URL) does not say which store it is: its property "store" was altered, or it is from before the first release. Restore a backup, or start with an empty database.`;
      const { registry: _, ...unbound } = JSON.parse(genuine);
      const { proof: __, ...unproven } = JSON.parse(genuine);
      for (const [record, message] of [
        [
          genuine,
          `This credential store is for the registry ${bob}, and IDENTITY_REGISTRY is ${alice}. Each registry needs its own store (IDENTITY_DATABASE_URL) and master secret.`,
        ],
        [genuine.replace(bob, alice), altered],
        [genuine.replace(bob, bob.toLowerCase()), altered],
        [genuine.replace('"registry"', '"Registry"'), altered],
        [genuine.replace(/"id":"./, '"id":"x'), altered],
        [genuine.replace("84532", "8453"), altered],
        [genuine.replace(/"encryptionKeyId":"\w+"/, '"encryptionKeyId":"00000000"'), altered],
        [genuine.replace(/"proof":"\w+"/, (proof) => proof.toUpperCase()), altered],
        [genuine.replace("{", `{"registry":"${alice}",`), altered],
        [genuine.replace("}", `,"registry":"${alice}"}`), altered],
        [JSON.stringify(unbound), altered],
        [JSON.stringify(unproven), altered],
        [` ${genuine}`, altered],
        [genuine.slice(0, -1), altered],
        ["{}", altered],
        ["", altered],
      ] as const) {
        await query(`update properties set value = '${record}' where name = 'store'`);
        expect((await rejection(startSigner(config))).message, record).to.equal(message);
        for (const args of record === genuine ? commands : commands.slice(0, 1)) {
          const { code, output } = await runIdentitySigner(args, env);
          expect([code, output], `${args.join(" ")} ${record}`).to.deep.equal([1, `${message}\n`]);
        }
      }
      // Its own registry has it as before, also re-encrypted.
      await query(`update properties set value = '${genuine}' where name = 'store'`);
      const own = { databaseUrl, masterSecret, chainId: 84532, registry: bob };
      const next = newSecret();
      await reencryptStore(own, next);
      const again = await openCredentialStore({ ...own, encryptionSecret: next });
      expect((await again.find(bob, "microblog"))?.traits).to.deep.equal(credential.traits);
      await again.close();
    });

    it("opens no credential, audit entry or checkpoint of another store with the same secrets, of its chain or another", async () => {
      const { options, query } = await fixture(createDatabase);
      const insert = (table: string, row: object) =>
        query(`insert into ${table} values ('${Object.values(row).join("','")}')`);
      for (const chainId of [options.chainId, 8453]) {
        const other = await createDatabase();
        const otherOptions = { ...options, databaseUrl: other.databaseUrl, chainId };
        const store = await openCredentialStore(otherOptions);
        await store.set({ ...credential, wallet: bob });
        await store.close();
        await query("delete from audit where writer in ('moved', 'checkpoint')");
        const [own] = await query("select count(*) as n from credentials");
        const copied = await Promise.all(
          ["select * from credentials", "select * from audit"].map((each) => other.query(each)),
        );
        for (const [table, rows] of [
          ["credentials", copied[0]],
          ["audit", copied[1]],
        ] as const) {
          for (const row of rows ?? []) await insert(table, row);
        }
        expect(Number((await query("select count(*) as n from credentials"))[0]?.n)).to.equal(
          Number(own?.n) + 1,
        );
        const again = await openCredentialStore(options);
        await rejection(again.find(bob, "microblog"));
        expect((await rejection(again.list())).message)
          .to.include(bob)
          .and.include("another store");
        await again.delete(bob, "microblog");
        await again.close();
        const { problems } = await verifyAudit(options);
        expect(problems.join("\n")).to.match(/^Row 0 of sequence [0-9a-f]{32} is not what was written there/);
        // A checkpoint in the other store removes nothing here.
        const writer = String(copied[1]?.[0]?.writer);
        await query(`delete from audit where writer = '${writer}'`);
        const young = await openCredentialStore({ ...otherOptions, audit: { retention: -1 } });
        await young.close();
        const [checkpoint] = await other.query(`select * from audit where entries like 'removed.%'`);
        expect(checkpoint?.writer).to.equal(writer);
        await insert("audit", checkpoint ?? {});
        expect((await verifyAudit(options)).problems.join("\n")).to.include("that is forged");
        await query(`delete from audit where writer = '${writer}'`);
      }
      expect(await readAudit(options)).to.have.length.above(3);
    });
  });
}

/** The same database for somebody who may only read it. */
async function makeReadOnly(databaseUrl: string): Promise<string> {
  if (databaseUrl.startsWith("file:")) {
    const file = databaseUrl.slice("file:".length);
    await chmod(file, 0o400);
    await chmod(dirname(file), 0o500);
    return databaseUrl;
  }
  const role = `reader_${hexlify(randomBytes(4)).slice(2)}`;
  await withClient(databaseUrl, async (client) => {
    await client.query(`create role ${role} login password 'x'`);
    await client.query(`alter role ${role} set default_transaction_read_only = on`);
    await client.query(`grant select on all tables in schema public to ${role}`);
  });
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = "x";
  if (url.searchParams.has("user")) url.searchParams.set("user", role);
  return url.href;
}
