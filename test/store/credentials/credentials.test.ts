import { once } from "node:events";
import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import { chmod, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { lockWaitMs } from "../../../packages/store/database/sqliteDialect.ts";
import { backUpStore, openCredentialStore, readStore } from "../../../signer/index.ts";
import { giveToAnotherUser } from "../../fixtures/anotherUser.ts";
import { countTurns } from "../../fixtures/countTurns.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { replace } from "../../fixtures/replace.ts";
import { account, alice, bob, credential } from "../../fixtures/signer/stores.ts";
import { skip } from "../../fixtures/skip.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

/** The names of the files of a store in which a text stands. */
async function holds(file: string, text: string): Promise<string[]> {
  const folder = join(file, "..");
  const names = await readdir(folder);
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name))));
  return names.filter((_name, i) => contents[i]?.includes(text));
}

/** The one credential of a store, as it stands there. */
function sealedIn(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const [row, ...others] = database.prepare("select sealed from credentials").all();
  database.close();
  expect(others).to.deep.equal([]);
  return String(row?.sealed);
}

describe("The credential store in a file", () => {
  async function fixture() {
    const file = join(await temporaryFolder(), "identity.sqlite");
    const options = { databaseUrl: `file:${file}`, masterSecret: hexlify(randomBytes(32)), chainId: 84532 };
    return { file, options, store: await openCredentialStore(options) };
  }

  it("holds neither account id nor traits in its files", async () => {
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

  it("refuses what was read while somebody changed it, and can be read again", async () => {
    const { store, file, options } = await fixture();
    await store.close();
    const error = await rejection(
      readStore(options, async () => {
        const other = await openCredentialStore(options);
        await other.set(credential);
        await other.close();
      }),
    );
    expect(error.message).to.equal(`${file} was changed while it was read; try again.`);
    expect(await readStore(options, ({ list }) => list())).to.have.length(1);
  });

  it("leaves no backup of what was changed meanwhile", async () => {
    const { store, file, options } = await fixture();
    await store.close();
    const to = `${file}.copy`;
    const done = backUpStore(options.databaseUrl, to);
    utimesSync(file, new Date(), new Date(1e9));
    expect((await rejection(done)).message).to.equal(`${file} was changed while it was read; try again.`);
    expect([existsSync(to), existsSync(`${to}.unfinished`)]).to.deep.equal([false, false]);
  });

  it("is read with its log through a link to its file, too", async () => {
    const { store, file, options } = await fixture();
    await store.set(credential);
    const link = join(await temporaryFolder(), "link.sqlite");
    await symlink(file, link);
    const databaseUrl = `file:${link}`;
    expect(await readStore({ ...options, databaseUrl }, ({ list }) => list())).to.have.length(1);
    await backUpStore(databaseUrl, `${file}.copy`);
    await store.close();
    const copy = { ...options, databaseUrl: `file:${file}.copy` };
    expect(await readStore(copy, ({ list }) => list())).to.have.length(1);
  });

  describe("with a reader open", () => {
    const read = (path: string) => {
      const reader = new DatabaseSync(path, { readOnly: true });
      reader.exec("begin; select * from credentials");
      return reader;
    };

    it("erases what was deleted when the reader ends", async () => {
      const { store, file } = await fixture();
      await store.set(credential);
      const reader = read(file);
      const started = performance.now();
      expect(await store.delete(alice, "microblog")).to.equal(true);
      expect(performance.now() - started).to.be.below(lockWaitMs);
      expect(await store.erased()).to.equal(false);
      expect(await holds(file, alice)).to.deep.equal(["identity.sqlite-wal"]);
      reader.close();
      expect(await store.erased(60_000)).to.equal(true);
      expect(await holds(file, alice)).to.deep.equal([]);
      await store.close();
    });

    it("erases it by itself, whether or not somebody waits for it", async () => {
      const { store, file } = await fixture();
      await store.set(credential);
      const reader = read(file);
      await store.delete(alice, "microblog");
      reader.close();
      while ((await holds(file, alice)).length > 0) await setImmediate();
      await store.close();
    });

    it("erases it when the store is closed, or else when it is opened again", async () => {
      const { store, file, options } = await fixture();
      await store.set(credential);
      const reader = read(file);
      await store.delete(alice, "microblog");
      await store.close();
      expect(await holds(file, alice)).to.deep.equal(["identity.sqlite-wal"]);
      const still = await openCredentialStore(options);
      expect(await still.erased()).to.equal(false);
      reader.exec("commit");
      await still.close();
      expect(await holds(file, alice)).to.deep.equal([]);
      reader.close();
    });
  });

  describe("with another connection's lock", () => {
    /** Locks the file from another thread, so that nothing of it keeps this one's event loop. */
    async function lock(file: string, begin: string, forMs: number) {
      const writes = `const database = new (require("node:sqlite").DatabaseSync)(${JSON.stringify(file)});
        database.exec(${JSON.stringify(begin)}); require("node:worker_threads").parentPort.postMessage("writes");
        setTimeout(() => database.exec("commit"), ${forMs});`;
      const writer = new Worker(writes, { eval: true });
      await once(writer, "message");
      return { unlocked: once(writer, "exit") };
    }

    it("waits for a write, also after it has erased something", async () => {
      const { store, file } = await fixture();
      await store.set(credential);
      await store.delete(alice, "microblog");
      const { unlocked } = await lock(file, "begin immediate", 200);
      await store.set(credential);
      await unlocked;
      await store.close();
    });

    it("goes on with everything else while writes wait", async () => {
      const { store, file } = await fixture();
      await store.set(credential);
      const { unlocked } = await lock(file, "begin immediate", 1_000);
      const turns = await countTurns(async () => {
        const waiting = Promise.all([
          store.set(credential),
          store.delete(bob, "microblog"),
          store.spendNonce("a nonce", 4_000_000_000),
          store.endSessions(),
        ]);
        expect(await store.find(alice, "microblog"), "a reader waits for nobody").to.have.property("traits");
        await waiting;
        await unlocked;
      });
      expect(turns, "in a second").to.be.above(15);
      await store.close();
    });

    it("goes on with everything else while a start waits", async () => {
      const { store, file, options } = await fixture();
      await store.close();
      const { unlocked } = await lock(file, "pragma locking_mode = exclusive; begin exclusive", 1_000);
      const turns = await countTurns(async () => {
        const opened = await openCredentialStore(options);
        await opened.set(credential);
        await opened.close();
        await unlocked;
      });
      expect(turns, "in a second").to.be.above(15);
    });
  });

  it("erases from its log what was replaced", async () => {
    const { store, file } = await fixture();
    await store.set(credential);
    const former = sealedIn(file);
    expect(await holds(file, former)).not.to.deep.equal([]);
    await store.set({ ...credential, accountId: "another" });
    expect(await holds(file, former)).to.deep.equal([]);
    await store.close();
  });

  it("shows in its rows neither shared accounts nor long traits", async () => {
    const { store, file } = await fixture();
    await store.set(credential);
    const replaced = sealedIn(file);
    await store.set(credential);
    await store.set({ ...credential, wallet: bob });
    const carol = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    await store.set({ ...credential, wallet: carol, accountId: "c", traits: {} });
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare("select * from credentials").all();
    database.close();
    const values = rows.flatMap(({ provider, ...row }) => Object.values(row).map(String));
    const parts = [...values, replaced].flatMap((value) => value.split("."));
    expect(new Set(parts).size, "all but the secret's id differ").to.equal(3 * 4 + 3 + 1);
    expect(new Set(rows.map(({ sealed }) => String(sealed).length)).size).to.equal(1);
    await store.close();
  });

  it("is refused when others can read or change its files", async () => {
    const { store, file, options } = await fixture();
    await store.set(credential);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      for (const mode of [0o644, 0o640, 0o602]) {
        await chmod(name, mode);
        const error = await rejection(openCredentialStore(options));
        expect(error).to.be.instanceOf(InvalidInputError);
        expect(error.message).to.equal(
          `The database file ${name} is one that other users can read or change (mode 0${mode.toString(8)}); set its mode to 0600 or 0400.`,
        );
      }
      await chmod(name, 0o600);
    }
    await store.close();
  });

  it("is refused with a journal of another user's beside it, also through a link", async () => {
    const { store, file, options } = await fixture();
    await store.close();
    const link = join(await temporaryFolder(), "link.sqlite");
    await symlink(file, link);
    await writeFile(`${file}-journal`, "");
    giveToAnotherUser(`${file}-journal`);
    for (const databaseUrl of [options.databaseUrl, `file:${link}`]) {
      const error = await rejection(openCredentialStore({ ...options, databaseUrl }));
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.include(
        `The database file ${file}-journal is one that belongs to another user`,
      );
    }
  });

  it("is refused in a folder in which others can create files, also through a link", async () => {
    const { store, file, options } = await fixture();
    await store.close();
    const folder = dirname(file);
    const link = join(await temporaryFolder(), "link.sqlite");
    await symlink(file, link);
    const places = [options.databaseUrl, `file:${link}`, `file:${join(folder, "new.sqlite")}`];
    for (const mode of [0o777, 0o1777, 0o702]) {
      await chmod(folder, mode);
      for (const databaseUrl of places) {
        const error = await rejection(openCredentialStore({ ...options, databaseUrl }));
        expect(error).to.be.instanceOf(InvalidInputError);
        expect(error.message).to.equal(
          `The database file ${databaseUrl.slice("file:".length)} is in ${folder}, a folder that other users can create files in (mode ${mode.toString(8).padStart(4, "0")}); set its mode to 0700.`,
        );
      }
    }
    await chmod(folder, 0o755);
    // A group of one's own, as many systems give each user, holds nobody else.
    for (const [group, isOpen] of [
      [process.getgid?.(), false],
      [4711, true],
    ] as const) {
      if (isOpen) replace(process, "getgid", () => 4711);
      await chmod(folder, 0o770);
      const outcome = await openCredentialStore(options).catch((error: Error) => error);
      expect(outcome instanceof InvalidInputError, `group ${group}`).to.equal(isOpen);
      if (!(outcome instanceof Error)) await outcome.close();
    }
    await chmod(folder, 0o700);
    expect(existsSync(join(folder, "new.sqlite"))).to.equal(false);
  });

  it("is refused in a folder of another user's", async () => {
    const { store, file, options } = await fixture();
    await store.close();
    giveToAnotherUser(dirname(file));
    const { message } = await rejection(openCredentialStore(options));
    expect(message).to.match(
      /^The database file \S+ is in \S+, a folder that belongs to another user \(uid \d+\), who can create files in it\.$/,
    );
  });

  it("keeps its locks when it is opened twice", async function () {
    if (!existsSync("/proc/locks")) skip(this, "Only Linux tells who has locks", "running it on Linux");
    const { store, file, options } = await fixture();
    // The file itself alone has SQLite's lock for all of a connection's time.
    const countLocks = () =>
      readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(file).ino} `))
        .length;
    const before = countLocks();
    expect(before).to.be.at.least(1);
    const again = await openCredentialStore(options);
    expect(countLocks()).to.equal(before);
    await again.close();
    expect(countLocks()).to.equal(before);
    await store.close();
  });
});
