import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { InvalidInputError } from "../../protocol/errors.ts";
import { pseudonym } from "../../protocol/identityHash.ts";
import { deriveKey } from "../../protocol/keys.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { cleanEnvironment } from "../fixtures/hardhat.ts";
import { rejection } from "../fixtures/rejection.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const alice = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const bob = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const account = "account-of-alice-1284917";
const credential = {
  wallet: alice,
  provider: "microblog",
  accountId: account,
  traits: { followers: "1200", verified_type: "a remarkable badge" },
  authenticatedAt: 1_760_000_000,
};

describe("The credential store", () => {
  async function fixture() {
    const file = join(await temporaryFolder(), "identity.sqlite");
    const options = { databaseUrl: `file:${file}`, masterSecret: hexlify(randomBytes(32)) };
    return { file, options, store: await openCredentialStore(options) };
  }

  it("finds what was set, with the account as its pseudonym", async () => {
    const { store, options } = await fixture();
    await store.set(credential);
    const accountKey = deriveKey(Buffer.from(options.masterSecret.slice(2), "hex"), "account");
    expect(await store.find(alice, "microblog")).to.deep.equal({
      pseudonym: pseudonym({ accountKey, provider: "microblog", accountId: account }),
      traits: credential.traits,
      authenticatedAt: 1_760_000_000,
    });
    expect(await store.find(bob, "microblog")).to.equal(undefined);
    expect(await store.find(alice, "exchange")).to.equal(undefined);
    await store.close();
  });

  it("replaces the credential that a wallet has at a provider", async () => {
    const { store } = await fixture();
    await store.set(credential);
    const before = await store.find(alice, "microblog");
    await store.set({ ...credential, wallet: alice.toLowerCase(), accountId: "other", traits: {} });
    const after = await store.find(alice, "microblog");
    expect(after?.traits).to.deep.equal({});
    expect(after?.pseudonym).not.to.equal(before?.pseudonym);
    expect(await store.list()).to.have.length(1);
    await store.close();
  });

  it("tells whether a wallet has another account at a provider, and not which", async () => {
    const { store } = await fixture();
    expect(await store.hasOtherAccount(alice, "microblog", account)).to.equal(false);
    await store.set(credential);
    expect(await store.hasOtherAccount(alice, "microblog", account)).to.equal(false);
    expect(await store.hasOtherAccount(alice.toLowerCase(), "microblog", "other")).to.equal(true);
    expect(await store.hasOtherAccount(bob, "microblog", "other")).to.equal(false);
    expect(await store.hasOtherAccount(alice, "exchange", "other")).to.equal(false);
    await store.close();
  });

  it("lists all credentials, or those of one wallet", async () => {
    const { store } = await fixture();
    await store.set(credential);
    await store.set({ ...credential, wallet: bob });
    await store.set({ ...credential, provider: "photo_social", traits: { username: "alice" } });
    const names = (list: { wallet: string; provider: string }[]) =>
      list.map(({ wallet, provider }) => `${wallet} ${provider}`);
    expect(names(await store.list())).to.deep.equal([
      `${bob} microblog`,
      `${alice} microblog`,
      `${alice} photo_social`,
    ]);
    expect(names(await store.list({ wallet: bob }))).to.deep.equal([`${bob} microblog`]);
    await store.close();
  });

  it("keeps what was set for the next process", async () => {
    const { store, options } = await fixture();
    await store.set(credential);
    await store.close();
    const again = await openCredentialStore(options);
    expect((await again.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
    await again.close();
  });

  it("holds neither account id nor traits in any of its files, and nobody else can read these", async () => {
    const { store, file } = await fixture();
    await store.set(credential);
    for (const name of await readdir(join(file, ".."))) {
      const path = join(file, "..", name);
      const bytes = await readFile(path);
      expect(bytes.includes(account), name).to.equal(false);
      expect(bytes.includes("remarkable"), name).to.equal(false);
      expect((await stat(path)).mode & 0o077, name).to.equal(0);
    }
    expect((await readFile(`${file}-wal`)).includes(alice)).to.equal(true);
    await store.close();
  });

  it("encrypts the same traits differently every time", async () => {
    const { store, file } = await fixture();
    const database = new DatabaseSync(file, { readOnly: true });
    const seen = [];
    for (const wallet of [alice, alice, bob]) {
      await store.set({ ...credential, wallet });
      const row = database.prepare("select traits from credentials where wallet = ?").get(wallet);
      seen.push(...String(row?.traits).split(".").slice(1));
    }
    database.close();
    expect(seen).to.have.length(9);
    expect(new Set(seen).size).to.equal(9);
    await store.close();
  });

  it("uses a nonce up once, and forgets it when it has ended", async () => {
    const { store, file } = await fixture();
    const now = Math.floor(Date.now() / 1000);
    expect(await store.spendNonce("ended", now - 10)).to.equal(true);
    expect(await store.spendNonce("waits", now + 600)).to.equal(true);
    expect(await store.spendNonce("waits", now + 600)).to.equal(false);
    const database = new DatabaseSync(file, { readOnly: true });
    const kept = database.prepare("select nonce from spent_nonces").all();
    expect(kept.map(({ nonce }) => nonce)).to.deep.equal(["waits"]);
    database.close();
    await store.close();
  });

  it("has what it was told on the disk before it answers", async () => {
    const connections = new Set<DatabaseSync>();
    const { prepare } = DatabaseSync.prototype;
    DatabaseSync.prototype.prepare = function (...parameters) {
      connections.add(this);
      return prepare.apply(this, parameters);
    };
    try {
      const { store } = await fixture();
      await store.set(credential);
      const full = 2;
      const modes = [...connections].map((each) => each.prepare("pragma synchronous").get()?.synchronous);
      expect(modes).to.deep.equal([full]);
      await store.close();
    } finally {
      DatabaseSync.prototype.prepare = prepare;
    }
  });

  it("erases what is deleted from the database and its log", async () => {
    const { store, file } = await fixture();
    await store.set(credential);
    expect(await store.delete(alice, "microblog")).to.equal(true);
    expect(await store.delete(alice, "microblog")).to.equal(false);
    expect(await store.find(alice, "microblog")).to.equal(undefined);
    for (const name of await readdir(join(file, ".."))) {
      expect((await readFile(join(file, "..", name))).includes(alice), name).to.equal(false);
    }
    await store.close();
  });

  it("refuses another master secret", async () => {
    const { store, options } = await fixture();
    await store.set(credential);
    await store.close();
    const error = await rejection(
      openCredentialStore({ ...options, masterSecret: hexlify(randomBytes(32)) }),
    );
    expect(error).to.be.instanceOf(InvalidInputError);
    expect(error.message).to.include("IDENTITY_MASTER_SECRET");
  });

  for (const [column, value] of [
    ["wallet", bob],
    ["provider", "exchange"],
    ["pseudonym", `0x${"11".repeat(32)}`],
    ["authenticated_at", 1_760_000_001],
    ["traits", "v1.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"],
  ] as const) {
    it(`does not decrypt traits whose ${column} was changed in the database`, async () => {
      const { store, file } = await fixture();
      await store.set(credential);
      const database = new DatabaseSync(file);
      database.prepare(`update credentials set ${column} = ?`).run(value);
      database.close();
      const [wallet, provider] = [
        column === "wallet" ? bob : alice,
        column === "provider" ? "exchange" : "microblog",
      ];
      await rejection(store.find(wallet, provider));
      await store.close();
    });
  }

  it("refuses what is not a file, and a folder that does not exist, in words", async () => {
    const folder = await temporaryFolder();
    const masterSecret = hexlify(randomBytes(32));
    for (const databaseUrl of [
      "postgres://localhost/identity",
      "identity.sqlite",
      "file:",
      "file::memory:",
    ]) {
      const error = await rejection(openCredentialStore({ databaseUrl, masterSecret }));
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.include("IDENTITY_DATABASE_URL");
    }
    const error = await rejection(
      openCredentialStore({ databaseUrl: `file:${folder}/missing/identity.sqlite`, masterSecret }),
    );
    expect(error).to.be.instanceOf(InvalidInputError);
    expect(error.message).to.include(`${folder}/missing/identity.sqlite`);
  });

  it("takes traits as numbers and booleans, too", async () => {
    const { store } = await fixture();
    await store.set({ ...credential, traits: { followers: 1200, verified: true } });
    expect((await store.find(credential.wallet, "microblog"))?.traits).to.deep.equal({
      followers: "1200",
      verified: "true",
    });
    await store.close();
  });

  it("refuses a credential that it could not use, and names what is wrong", async () => {
    const { store } = await fixture();
    const bad = [
      [{ wallet: "0x12" }, "0x12"],
      [{ wallet: alice.replace("f39F", "F39F") }, "checksum"],
      [{ provider: "nobody" }, "nobody"],
      [{ accountId: "" }, "account id"],
      [{ accountId: "\ud800" }, "account id"],
      [{ traits: { height: "180" } }, 'no trait "height"; it has followers, verified, verified_type.'],
      [{ traits: { followers: "1e3" } }, 'Trait followers must be an integer, got "1e3".'],
      [{ authenticatedAt: 1.5 }, "1.5"],
    ] as const;
    for (const [change, word] of bad) {
      const error = await rejection(store.set({ ...credential, ...change }));
      expect(error, JSON.stringify(change)).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.include(word);
    }
    expect(await store.list()).to.deep.equal([]);
    await store.close();
  });

  it("opens a new file several times at once in one process", async () => {
    const { store, file } = await fixture();
    await store.close();
    const options = { databaseUrl: `file:${file}.new`, masterSecret: hexlify(randomBytes(32)) };
    const stores = await Promise.all([1, 2, 3, 4].map(() => openCredentialStore(options)));
    await Promise.all(stores.map((each) => each.set(credential)));
    for (const each of stores) {
      expect(await each.find(alice, "microblog")).not.to.equal(undefined);
      await each.close();
    }
  });

  it("opens a new file in several processes at once, and takes the writes of all", async () => {
    const { store, file } = await fixture();
    await store.close();
    const databaseUrl = `file:${file}.new`;
    const masterSecret = hexlify(randomBytes(32));
    const script = `
      import { openCredentialStore } from ${JSON.stringify(new URL("../../signer/index.ts", import.meta.url).href)};
      const [number, databaseUrl, masterSecret] = process.argv.slice(1);
      const store = await openCredentialStore({ databaseUrl, masterSecret });
      for (let i = 0; i < 10; i++) {
        await store.set({
          wallet: "0x" + (Number(number) * 10 + i).toString(16).padStart(40, "0"),
          provider: "microblog", accountId: "a", traits: {}, authenticatedAt: 1,
        });
      }
      await store.close();`;
    const runs = [1, 2, 3, 4].map((number) =>
      promisify(execFile)(
        process.execPath,
        ["--input-type=module", "--eval", script, String(number), databaseUrl, masterSecret],
        // Covered by the rest of this file; see networkHook.test.ts.
        { env: cleanEnvironment({ NODE_V8_COVERAGE: "" }) },
      ),
    );
    for (const { stderr } of await Promise.all(runs)) expect(stderr).to.equal("");
    const all = await openCredentialStore({ databaseUrl, masterSecret });
    expect(await all.list()).to.have.length(40);
    await all.close();
  });
});
