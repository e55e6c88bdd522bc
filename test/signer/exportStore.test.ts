import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, id, randomBytes } from "ethers";
import { development } from "../../protocol/development.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import {
  type CredentialStore,
  everyCredential,
  everyPin,
  exportStore,
  importStore,
  openCredentialStore,
  type Pin,
} from "../../signer/index.ts";
import { pageSize } from "../../signer/internal/credentials/paging.ts";
import { rejection } from "../fixtures/rejection.ts";
import { withClient } from "../fixtures/signer/postgres.ts";
import { requestVerification, signedRequest } from "../fixtures/signer/signIn.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { engines, manyCredentials, newStore } from "../fixtures/signer/stores.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const chainId = 84532;

const manyPins = (count: number): Pin[] =>
  Array.from({ length: count }, (_, i) => ({
    chainId,
    consumer: `0x${i.toString(16).padStart(40, "0")}`,
    policyHash: id(`policy ${i}`) as Pin["policyHash"],
    cutoffBlock: 2n ** 256n - BigInt(i + 1),
    cutoffRises: i % 4,
    risesSince: 1_7120_000_000,
    pinnedAt: 1_750_000_000 + i,
  }));

async function readAll(store: CredentialStore) {
  const [credentials, pins] = [[] as unknown[], [] as unknown[]];
  for await (const each of everyCredential(store)) credentials.push(each);
  for await (const each of everyPin(store)) pins.push(each);
  return { credentials, pins };
}

/** A store with credentials and pins, and a file that it was exported to. */
async function exported(createDatabase = engines.SQLite, counts = { credentials: pageSize + 2, pins: 3 }) {
  if (createDatabase === undefined) throw new Error("no engine");
  const opened = await newStore(createDatabase);
  const store = await opened.open({ chainId });
  const credentials = manyCredentials(counts.credentials);
  for (let at = 0; at < credentials.length; at += pageSize) {
    await store.merge(credentials.slice(at, at + pageSize));
  }
  const pins = manyPins(counts.pins);
  for (let at = 0; at < pins.length; at += pageSize) await store.mergePins(pins.slice(at, at + pageSize));
  const to = join(await temporaryFolder(), "credentials.export");
  const { masterSecret } = opened.options;
  const progress: number[] = [];
  const told = await exportStore(store, {
    to,
    masterSecret,
    progress: (moved) => void progress.push(moved.credentials),
  });
  expect(told).to.deep.equal({ chainId, ...counts });
  return { ...opened, store, to, masterSecret, progress };
}

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`Moving a store to ${engine}`, function () {
    this.timeout(120_000);

    for (const [from, createSource] of Object.entries(engines)) {
      it(`brings everything from ${from}, a page at a time`, async () => {
        const counts = { credentials: 2 * pageSize + 1, pins: pageSize + 1 };
        const source = await exported(createSource, counts);
        expect(source.progress.slice(0, 3)).to.deep.equal([pageSize, 2 * pageSize, 2 * pageSize + 1]);
        const { databaseUrl } = await createDatabase();
        const options = { databaseUrl, masterSecret: source.masterSecret };
        const moved: number[] = [];
        const imported = await importStore({
          ...options,
          from: source.to,
          progress: (done, of) => moved.push(done.credentials, of.credentials),
        });
        expect(imported).to.deep.equal({
          credentials: { added: counts.credentials, replaced: 0, kept: 0 },
          pins: { added: counts.pins, kept: 0 },
        });
        expect(moved.slice(0, 2)).to.deep.equal([pageSize, counts.credentials]);
        const target = await openCredentialStore(options);
        expect(await readAll(target)).to.deep.equal(await readAll(source.store));
        await target.close();
        const other = await rejection(openCredentialStore({ ...options, chainId: 8453 }));
        expect(other.message).to.include(String(chainId));

        const again = await importStore({ ...options, from: source.to });
        expect(again).to.deep.equal({
          credentials: { added: 0, replaced: 0, kept: counts.credentials },
          pins: { added: 0, kept: counts.pins },
        });
      });
    }

    it("keeps the credential of the later authentication, and the higher cutoff", async () => {
      const { to, masterSecret, store: source } = await exported();
      const [older, same, newer] = manyCredentials(3);
      const [low, high, otherPolicy] = manyPins(3);
      if (!(older && same && newer && low && high && otherPolicy)) throw new Error("too few");
      const { databaseUrl } = await createDatabase();
      const store = await openCredentialStore({ databaseUrl, masterSecret });
      const own = { pseudonym: id("own"), traits: {} };
      await store.merge([
        { ...older, ...own, authenticatedAt: older.authenticatedAt - 1 },
        { ...same, ...own },
        { ...newer, ...own, authenticatedAt: newer.authenticatedAt + 1 },
      ]);
      const policyHash = `0x${"ab".repeat(32)}` as const;
      await store.mergePins([
        { ...low, cutoffBlock: 1n },
        { ...high, cutoffBlock: high.cutoffBlock + 1n },
        { ...otherPolicy, policyHash, cutoffBlock: 1n },
      ]);
      const imported = await importStore({ databaseUrl, masterSecret, from: to });
      expect(imported.credentials).to.deep.equal({ added: pageSize - 1, replaced: 1, kept: 2 });
      const find = async ({ wallet, provider }: typeof older) =>
        (await store.find(wallet, provider))?.pseudonym;
      expect(await find(older)).to.equal(older.pseudonym);
      expect(await find(same)).to.equal(own.pseudonym);
      expect(await find(newer)).to.equal(own.pseudonym);
      expect(imported.pins).to.deep.equal({ added: 0, kept: 3 });
      const [lowNow, highNow, otherNow] = await store.listPins();
      expect(lowNow).to.deep.equal((await source.listPins())[0]);
      expect(highNow?.cutoffBlock).to.equal(high.cutoffBlock + 1n);
      expect(otherNow).to.include({ policyHash, cutoffBlock: 1n });
      await store.close();
    });

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
      const [, added, kept] = /: (\d+) new credentials, 0 in place of older ones, (\d+) kept/.exec(
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

describe("An export", () => {
  it("is a new file that only its owner can read, and names nobody", async () => {
    const { to, store, masterSecret } = await exported();
    expect((await stat(to)).mode & 0o777).to.equal(0o600);
    expect(await readdir(dirname(to))).to.deep.equal(["credentials.export"]);
    const text = await readFile(to, "utf8");
    for (const { wallet, pseudonym } of manyCredentials(pageSize + 2)) {
      expect(text.includes(wallet)).to.equal(false);
      expect(text.includes(pseudonym.slice(2))).to.equal(false);
    }
    const { format, version, credentials } = JSON.parse(text.split("\n")[0] ?? "");
    expect({ format, version, credentials }).to.deep.equal({
      format: "hardhat-identity-export",
      version: 1,
      credentials: pageSize + 2,
    });
    const again = await rejection(exportStore(store, { to, masterSecret }));
    expect(again).to.be.instanceOf(InvalidInputError);
    expect(again.message).to.include("exists already");
    expect(await readFile(to, "utf8")).to.equal(text);
    const nowhere = await rejection(
      exportStore(store, { to: join(dirname(to), "missing", "x"), masterSecret }),
    );
    expect(nowhere.message).to.include("ENOENT");
  });

  it("leaves no file behind when it fails", async () => {
    const { to, store, masterSecret } = await exported();
    const failing = { ...store, listPins: () => Promise.reject(new Error("the store went away")) };
    await rejection(exportStore(failing, { to: `${to}.2`, masterSecret }));
    expect(await readdir(dirname(to))).to.deep.equal(["credentials.export"]);
  });

  const alterations: Record<string, (lines: string[], other: string[]) => string[]> = {
    "lacks its end": (lines) => lines.slice(0, -1),
    "lacks a part": (lines) => lines.toSpliced(1, 1),
    "has a part twice": (lines) => lines.toSpliced(1, 0, lines[1] ?? ""),
    "has parts in another order": ([header = "", one = "", two = "", ...rest]) => [header, two, one, ...rest],
    "has a part of another export": (lines, other) => lines.with(1, other[1] ?? ""),
    "has the end of another export": (lines, other) => lines.with(-1, other.at(-1) ?? ""),
    "has something behind its end": (lines) => [...lines, lines.at(-1) ?? ""],
    "has another character in a part": (lines) =>
      lines.with(
        1,
        (lines[1] ?? "").replace(/(.)(?=.{30}$)/, (one) => (one === "_" ? "-" : "_")),
      ),
    "tells of another chain": (lines) => lines.with(0, (lines[0] ?? "").replace(":84532", ":84533")),
    "tells of fewer credentials": (lines) => lines.with(0, (lines[0] ?? "").replace(":502", ":501")),
  };
  for (const [name, alter] of Object.entries(alterations)) {
    it(`that ${name} is refused before there is anything in the store`, async () => {
      const { to, masterSecret, store } = await exported();
      const another = `${to}.another`;
      await exportStore(store, { to: another, masterSecret });
      const read = async (path: string) => (await readFile(path, "utf8")).trimEnd().split("\n");
      const lines = alter(await read(to), await read(another));
      expect(lines).not.to.deep.equal(await read(to));
      await writeFile(to, `${lines.join("\n")}\n`);
      const file = join(dirname(to), "identity.sqlite");
      const error = await rejection(importStore({ databaseUrl: `file:${file}`, masterSecret, from: to }));
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.include("not as it was exported");
      expect(existsSync(file)).to.equal(false);
    });
  }

  it("that was cut off anywhere is refused", async () => {
    const { to, masterSecret } = await exported();
    const whole = await readFile(to);
    const file = join(dirname(to), "identity.sqlite");
    for (const length of [0, 100, 511, 512, 513, whole.length - 100, whole.length - 1]) {
      await writeFile(to, whole.subarray(0, length));
      const error = await rejection(importStore({ databaseUrl: `file:${file}`, masterSecret, from: to }));
      expect(error, String(length)).to.be.instanceOf(InvalidInputError);
      expect(existsSync(file)).to.equal(false);
    }
  });

  it("is refused with another master secret, for another chain, and of a later format, in words", async () => {
    const { to, masterSecret } = await exported();
    const databaseUrl = `file:${join(dirname(to), "identity.sqlite")}`;
    const secret = await rejection(
      importStore({ databaseUrl, masterSecret: hexlify(randomBytes(32)), from: to }),
    );
    expect(secret).to.be.instanceOf(InvalidInputError);
    expect(secret.message).to.include("another master secret");
    await (await openCredentialStore({ databaseUrl, masterSecret, chainId: 8453 })).close();
    const chain = await rejection(importStore({ databaseUrl, masterSecret, from: to }));
    expect(chain).to.be.instanceOf(InvalidInputError);
    expect(chain.message).to.include("chain 8453");
    await writeFile(to, (await readFile(to, "utf8")).replace('"version":1', '"version":2'));
    const later = await rejection(importStore({ databaseUrl, masterSecret, from: to }));
    expect(later.message).to.include("version 2");
    const none = await rejection(importStore({ databaseUrl, masterSecret, from: `${to}.nothing` }));
    expect(none.message).to.include("ENOENT");
  });
});

describe("A service whose store is imported into", () => {
  it("answers for what was imported, at once", async () => {
    const stack = await startStack();
    const { wallet, address } = await stack.participate();
    const env = {
      IDENTITY_DATABASE_URL: stack.service.config.databaseUrl,
      IDENTITY_MASTER_SECRET: development.masterSecret,
    };
    const to = join(await temporaryFolder(), "credentials.export");
    const exported = await runIdentitySigner(["export", "--to", to], env);
    expect(exported.output).to.include(`Exported 1 credentials and 0 pins to ${to}.`);
    const ask = async () =>
      (await requestVerification(stack.url, await signedRequest(wallet, address))).status;
    expect(await ask()).to.equal(200);
    await stack.store.delete(wallet.address, "microblog");
    expect(await ask()).to.equal(404);
    const imported = await runIdentitySigner(["import", "--from", to], env);
    expect(imported.output).to.include("1 new credentials");
    expect(await ask()).to.equal(200);
  }).timeout(120_000);
});
