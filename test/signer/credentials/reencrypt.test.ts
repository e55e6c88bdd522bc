import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { getBytes, hexlify, randomBytes } from "ethers";
import { development } from "../../../protocol/development.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { deriveKey, keyId } from "../../../protocol/keys.ts";
import { type CredentialStore, everyCredential, reencryptStore } from "../../../signer/index.ts";
import { pageSize } from "../../../signer/internal/database/paging.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { withClient } from "../../fixtures/signer/postgres.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { alice, credential, engines, manyCredentials, newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

const newSecret = () => hexlify(randomBytes(32));
const idOf = (secret: string) => keyId(deriveKey(getBytes(secret), "credential"));

async function readAll(store: CredentialStore) {
  const all = [];
  for await (const each of everyCredential(store)) all.push(each);
  return all;
}

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`Encrypting a store anew on ${engine}`, function () {
    this.timeout(120_000);

    async function fixture() {
      const opened = await newStore(createDatabase);
      const [former, next] = [newSecret(), newSecret()];
      const formats = async () => {
        const rows = await opened.query("select sealed from credentials");
        return [...new Set(rows.map(({ sealed }) => String(sealed).split(".")[0]))].sort();
      };
      const env = {
        IDENTITY_DATABASE_URL: opened.options.databaseUrl,
        IDENTITY_MASTER_SECRET: opened.options.masterSecret,
        IDENTITY_ENCRYPTION_SECRET: next,
      };
      return { ...opened, former, next, formats, env, ofMaster: `v1-${idOf(opened.options.masterSecret)}` };
    }

    it("names the key in each row", async () => {
      const { store, open, formats, next, ofMaster } = await fixture();
      await store.set(credential);
      expect(await formats()).to.deep.equal([ofMaster]);
      const own = await open({ encryptionSecret: next });
      await own.set(credential);
      expect(await formats()).to.deep.equal([`v1-${idOf(next)}`]);
      expect((await own.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
      expect(await own.keyIds()).to.include.members([idOf(next)]);
    });

    it("moves from secret to secret while replicas with either run, and then needs the former no more", async () => {
      const { store, open, options, formats, former, next, env, query, ofMaster } = await fixture();
      await store.merge(manyCredentials(pageSize));
      const before = await open({ otherEncryptionSecret: former });
      const during = await open({ encryptionSecret: former, otherEncryptionSecret: next });
      const after = await open({ encryptionSecret: next, otherEncryptionSecret: former });
      await during.merge(manyCredentials(2 * pageSize));
      expect(await formats()).to.have.members([ofMaster, `v1-${idOf(former)}`]);
      const all = await readAll(before);
      expect(all).to.have.length(2 * pageSize);
      expect(await readAll(during)).to.deep.equal(all);
      expect(await readAll(after)).to.deep.equal(all);

      const lacking = await rejection(open({ encryptionSecret: next }));
      expect(lacking).to.be.instanceOf(InvalidInputError);
      expect(lacking.message)
        .to.include(idOf(former))
        .and.include("IDENTITY_OTHER_ENCRYPTION_SECRET")
        .and.not.include(former.slice(2));
      expect((await runIdentitySigner(["re-encrypt"], env)).output).to.include(idOf(former));

      const both = { ...env, IDENTITY_OTHER_ENCRYPTION_SECRET: former };
      const status = await runIdentitySigner(["re-encrypt", "--status"], both);
      expect(status.code).to.equal(1);
      for (const id of [former, options.masterSecret].map(idOf)) {
        expect(status.output).to.include(`key ${id}  ${pageSize} rows\n`);
      }
      expect(status.output).to.include(`key ${idOf(next)}  0 rows, and every new one`);
      expect(await formats()).to.have.members([ofMaster, `v1-${idOf(former)}`]);

      const ran = await runIdentitySigner(["re-encrypt"], both);
      expect(ran.output).to.include(`Re-encrypted ${2 * pageSize} rows.`);
      expect(ran.code).to.equal(0);
      expect(await formats()).to.deep.equal([`v1-${idOf(next)}`]);
      for (const each of [during, after]) expect(await readAll(each)).to.deep.equal(all);
      expect((await rejection(open())).message).to.include(idOf(next));
      expect(await readAll(await open({ encryptionSecret: next }))).to.deep.equal(all);
      const noted = await query("select name from properties where name like 'encryption-key-%'");
      expect(noted.map(({ name }) => name)).to.deep.equal([`encryption-key-${idOf(next)}`]);

      // And back to the master secret alone.
      const back = await open({ otherEncryptionSecret: next });
      expect((await reencryptStore(back)).changed).to.equal(2 * pageSize);
      expect(await formats()).to.deep.equal([ofMaster]);
      expect(await readAll(await open())).to.deep.equal(all);
    });

    it("loses nothing that is written meanwhile, also by a replica that has the former secret still", async () => {
      const { open, former, next, formats } = await fixture();
      const during = await open({ encryptionSecret: former, otherEncryptionSecret: next });
      const after = await open({ encryptionSecret: next, otherEncryptionSecret: former });
      const many = manyCredentials(pageSize);
      await during.merge(many);
      const written = new Map<string, number>();
      let isDone = false;
      async function write(store: CredentialStore, from: number) {
        for (let i = from; !isDone; i += 2) {
          const { wallet = "", provider = "" } = many[i % many.length] ?? {};
          await store.set({ ...credential, wallet, provider, authenticatedAt: i });
          written.set(wallet, i);
          await setImmediate();
        }
      }
      const writers = [write(during, 0), write(after, 1)];
      const passes: number[] = [];
      const ended = reencryptStore(after, { progress: (rows) => void passes.push(rows) });
      while (passes.length < 3) await setImmediate();
      isDone = true;
      await Promise.all(writers);
      await ended;
      // Whoever had the former secret may have written behind the last pass.
      await reencryptStore(after);
      expect(written.size).to.be.greaterThan(0);
      expect(await formats()).to.deep.equal([`v1-${idOf(next)}`]);
      const found = await readAll(await open({ encryptionSecret: next }));
      expect(found).to.have.length(pageSize);
      for (const { wallet, authenticatedAt } of found) {
        if (written.has(wallet)) expect(authenticatedAt).to.equal(written.get(wallet));
      }
    });
  });
}

describe("Encrypting a row anew", () => {
  it("leaves what another one has written between reading and writing it", async () => {
    const postgres = engines.PostgreSQL;
    if (postgres === undefined) throw new Error("no PostgreSQL");
    const { store, open, options, query } = await newStore(postgres);
    const sealed = async () => String((await query("select sealed from credentials"))[0]?.sealed);
    await store.set({ ...credential, authenticatedAt: 2 });
    const newer = await sealed();
    await store.set({ ...credential, authenticatedAt: 1 });
    const nextSecret = newSecret();
    const next = await open({ encryptionSecret: nextSecret });
    await withClient(options.databaseUrl, async (client) => {
      await client.query("begin");
      await client.query("update credentials set sealed = $1", [newer]);
      const ended = next.reencrypt({ dryRun: false });
      const waits =
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      // A transaction would see what it saw at first.
      while ((await query(waits)).length === 0) await setImmediate();
      await client.query("commit");
      await ended;
    });
    expect((await next.find(alice, "microblog"))?.authenticatedAt).to.equal(2);
    expect((await sealed()).startsWith(`v1-${idOf(nextSecret)}.`)).to.equal(true);
  });
});

describe("Replicas of which one has the next encryption secret", () => {
  it("answer for what either has stored, before the rows are encrypted anew, and after", async () => {
    const [former, next] = [newSecret(), newSecret()];
    const stack = await startStack({
      IDENTITY_ENCRYPTION_SECRET: former,
      IDENTITY_OTHER_ENCRYPTION_SECRET: next,
    });
    const { IDENTITY_RPC_URL, IDENTITY_REGISTRY } = stack.environment;
    const { databaseUrl } = stack.service.config;
    const another = await startTestSigner({
      IDENTITY_RPC_URL,
      IDENTITY_REGISTRY,
      IDENTITY_DATABASE_URL: databaseUrl,
      IDENTITY_ENCRYPTION_SECRET: next,
      IDENTITY_OTHER_ENCRYPTION_SECRET: former,
    });
    const { wallet, address } = await stack.participate();
    const ask = async () => {
      const answers = [];
      for (const { url } of [stack, another]) {
        answers.push(
          (await requestVerification(url, await signedRequest(wallet, address))).body.identityHash,
        );
      }
      return answers;
    };
    const before = await ask();
    expect(before[0]).to.match(/^0x/);
    expect(before[1]).to.equal(before[0]);
    const ran = await runIdentitySigner(["re-encrypt"], {
      IDENTITY_DATABASE_URL: databaseUrl,
      IDENTITY_MASTER_SECRET: development.masterSecret,
      IDENTITY_ENCRYPTION_SECRET: next,
      IDENTITY_OTHER_ENCRYPTION_SECRET: former,
    });
    expect(ran.output).to.include("Re-encrypted 1 row.");
    expect(await ask()).to.deep.equal(before);
  }).timeout(120_000);
});
