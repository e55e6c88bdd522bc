import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { getBytes, hexlify, randomBytes } from "ethers";
import { deriveKey, keyId } from "../../../protocol/keys.ts";
import { loadConfig, openCredentialStore, startSigner, verifyAudit } from "../../../signer/index.ts";
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
  // A killed one leaves its last writes in SQLite's log. Whoever opens the file to write moves them into the file.
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
      const before = await snapshot(options.databaseUrl);
      const wrong = [
        [{ IDENTITY_ENCRYPTION_SECRET: other }, [`SECRET is ${idOf(other)}`, idOf(encryptionSecret)]],
        [{ IDENTITY_ENCRYPTION_SECRET: "" }, [`'s key id is ${idOf(masterSecret)}`, idOf(encryptionSecret)]],
        [{ IDENTITY_MASTER_SECRET: otherMaster }, [masterIdOf(otherMaster), masterIdOf(masterSecret)]],
        [{ IDENTITY_CHAIN_ID: "8453" }, ["chain 84532", "8453."]],
      ] as const;
      const account = ["--wallet", alice, "--provider", "microblog"];
      const writing = ["credential", "set", ...account, "--account-id", "1"];
      for (const [i, [change, words]] of wrong.entries()) {
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
          expect(code, args.join(" ")).to.equal(1);
          for (const word of words) expect(output, args.join(" ")).to.include(word);
        }
        const config = loadConfig({
          ...{ ...env, ...change },
          IDENTITY_RPC_URL: "http://127.0.0.1:1",
          IDENTITY_REGISTRY: alice,
          IDENTITY_SIGNING_KEY: newSecret(),
          IDENTITY_PORT: "0",
          IDENTITY_PUBLIC_URL: "https://identity.example",
          IDENTITY_LOG_LEVEL: "silent",
        });
        const refused = await rejection(startSigner(config));
        for (const word of words) expect(refused.message).to.include(word);
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
      expect((await runIdentitySigner(["credential", "list"], env)).output).to.include("is empty");
      expect(await query("select * from properties")).to.deep.equal([]);
      const known = await runIdentitySigner(args, { ...env, IDENTITY_CHAIN_ID: "10" });
      expect(known.code, known.output).to.equal(0);
    });

    it("is refused with rows and without its property, and is not taken for a new one", async () => {
      const { options, query } = await fixture(createDatabase);
      await query("delete from properties");
      const before = await snapshot(options.databaseUrl);
      expect((await rejection(openCredentialStore(options))).message).to.include("which store it is");
      expect(await snapshot(options.databaseUrl)).to.deep.equal(before);
      for (const table of ["credentials", "pins"]) await query(`delete from ${table}`);
      expect((await rejection(openCredentialStore(options))).message).to.include("rows in its table audit");
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
