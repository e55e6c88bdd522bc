import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { hexlify, id, randomBytes } from "ethers";
import { development } from "../../../protocol/development.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { exportStore, importStore, openCredentialStore } from "../../../signer/index.ts";
import { pageSize } from "../../../signer/internal/database/paging.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { exported, manyPins, readAll } from "../../fixtures/signer/exports.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { engines, manyCredentials } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

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
        expect(other.message).to.include("84532");

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
  });
}

describe("An export", () => {
  let made: Awaited<ReturnType<typeof exported>>;
  /** Another export of the same store. */
  let another: string;
  before(async () => {
    made = await exported();
    another = join(await temporaryFolder(), "another.export");
    await exportStore(made.store, { to: another, masterSecret: made.masterSecret });
  });

  /** Tries to import what is made of the file; answers why not, and sees that no store was begun. */
  async function refusal(content: string | Uint8Array) {
    const folder = await temporaryFolder();
    const [from, file] = [join(folder, "changed.export"), join(folder, "identity.sqlite")];
    await writeFile(from, content);
    const { masterSecret } = made;
    const error = await rejection(importStore({ databaseUrl: `file:${file}`, masterSecret, from }));
    expect(error).to.be.instanceOf(InvalidInputError);
    expect(existsSync(file)).to.equal(false);
    return error.message;
  }

  it("is a new file that only its owner can read, and names nobody", async () => {
    const { to, store, masterSecret } = made;
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
    const { store, masterSecret } = made;
    const folder = await temporaryFolder();
    const failing = { ...store, listPins: () => Promise.reject(new Error("the store went away")) };
    await rejection(exportStore(failing, { to: join(folder, "failed.export"), masterSecret }));
    expect(await readdir(folder)).to.deep.equal([]);
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
      const read = async (path: string) => (await readFile(path, "utf8")).trimEnd().split("\n");
      const lines = await read(made.to);
      const altered = alter(lines, await read(another));
      expect(altered).not.to.deep.equal(lines);
      expect(await refusal(`${altered.join("\n")}\n`)).to.include("not as it was exported");
    });
  }

  it("that was cut off anywhere is refused", async () => {
    const whole = await readFile(made.to);
    for (const length of [0, 100, 511, 512, 513, whole.length - 100, whole.length - 1]) {
      await refusal(whole.subarray(0, length));
    }
  });

  it("is refused with another master secret, for another chain, and of a later format, in words", async () => {
    const { to: from, masterSecret } = made;
    const databaseUrl = `file:${join(await temporaryFolder(), "identity.sqlite")}`;
    const other = hexlify(randomBytes(32));
    const secret = await rejection(importStore({ databaseUrl, masterSecret: other, from }));
    expect(secret).to.be.instanceOf(InvalidInputError);
    expect(secret.message).to.include("another master secret");
    await (await openCredentialStore({ databaseUrl, masterSecret, chainId: 8453 })).close();
    const chain = await rejection(importStore({ databaseUrl, masterSecret, from }));
    expect(chain).to.be.instanceOf(InvalidInputError);
    expect(chain.message).to.include("chain 8453");
    const later = (await readFile(from, "utf8")).replace('"version":1', '"version":2');
    expect(await refusal(later)).to.include("version 2");
    const none = await rejection(importStore({ databaseUrl, masterSecret, from: `${from}.nothing` }));
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
    expect(exported.output).to.include(`Exported 1 credential and 0 pins to ${to}.`);
    const ask = async () =>
      (await requestVerification(stack.url, await signedRequest(wallet, address))).status;
    expect(await ask()).to.equal(200);
    await stack.store.delete(wallet.address, "microblog");
    expect(await ask()).to.equal(404);
    const imported = await runIdentitySigner(["import", "--from", to], env);
    expect(imported.output).to.include("1 new credential,");
    expect(await ask()).to.equal(200);
  }).timeout(120_000);
});
