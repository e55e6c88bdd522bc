import { copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import type { CredentialStore } from "../../../signer/index.ts";
import { StoreUnavailableError } from "../../../signer/internal/database/storeUnavailable.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { readAudit } from "../../fixtures/signer/audit.ts";
import { holdDisk, syncBy } from "../../fixtures/signer/disk.ts";
import { alice, bob, credential, engines, newStore } from "../../fixtures/signer/stores.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const event = { event: "sessions-ended" } as const;
const pin = { chainId: 84532, consumer: bob, policyHash: `0x${"ab".repeat(32)}`, cutoffBlock: 1n } as const;

/** What changes a store that has Alice's credential. */
const changes: Readonly<Record<string, (store: CredentialStore) => Promise<unknown>>> = {
  "a credential": (store) => store.set({ ...credential, wallet: bob }),
  "a deletion": (store) => store.delete(alice, credential.provider),
  "a pin": (store) => store.pin(pin),
  "a credential that is encrypted anew": (store) => store.reencrypt({ dryRun: false }),
  "a nonce that is spent": (store) => store.spendNonce("nonce", 9_999_999_999),
  "the end of all sessions": (store) => store.endSessions(),
  "an entry of the audit trail": (store) => store.enter(event),
};

describe("What is written to an SQLite file", () => {
  async function fixture(audit?: "off") {
    const { SQLite: createDatabase } = engines;
    if (createDatabase === undefined) throw new Error("There is no SQLite.");
    const { store: first, open: reopen, options } = await newStore(createDatabase);
    const file = options.databaseUrl.replace(/^file:/, "");
    await first.set(credential);
    await first.close();
    const encryptionSecret = `0x${"60".repeat(32)}`;
    const store = await reopen({ encryptionSecret, ...(audit === "off" && { audit }) });
    return { store, options: { ...options, encryptionSecret }, file };
  }

  for (const [name, change] of Object.entries(changes)) {
    it(`is on the disk before it is answered, and nothing else waits for the disk: ${name}`, async () => {
      const isEntry = name.startsWith("an entry");
      const { store } = await fixture(isEntry ? undefined : "off");
      const steps: string[] = [];
      await syncBy(async (real) => {
        steps.push("written");
        await store.find(bob, credential.provider);
        steps.push("found");
        await real();
        steps.push("synced");
      });
      await change(store);
      steps.push("answered");
      expect(steps.slice(0, 3)).to.deep.equal(["written", "found", "synced"]);
      expect(steps.at(-2)).to.equal("synced");
    });
  }

  it("shares the sync of those who write while the disk is busy, which begins once it is not", async () => {
    const { store } = await fixture("off");
    const disk = await holdDisk();
    const first = store.endSessions();
    while (disk.begun === 0) await setImmediate();
    let answered = 0;
    const others = Array.from({ length: 50 }, async () => {
      await store.endSessions();
      answered++;
    });
    // They are in the log as soon as they have had their turn.
    for (let i = 0; i < 10; i++) await setImmediate();
    disk.release();
    await first;
    while (answered === 0 && disk.begun === 1) await setImmediate();
    expect({ answered, begun: disk.begun }).to.deep.equal({ answered: 0, begun: 2 });
    await Promise.all(others);
    expect(disk.begun).to.equal(2);
  });

  it("is on the disk before SQLite takes it from the log, and nothing that is deleted stays on its pages", async () => {
    const asked: unknown[] = [];
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (sql) {
      exec.call(this, sql);
      if (!/busy_timeout/.test(sql)) return;
      asked.push(
        ["journal_mode", "synchronous", "secure_delete"].map((name) =>
          Object.values(this.prepare(`pragma ${name}`).get() ?? {}),
        ),
      );
    };
    onCleanup(() => {
      DatabaseSync.prototype.exec = exec;
    });
    await fixture();
    // With 1, SQLite syncs the log before it moves it, and the database before it empties the log.
    expect(asked.at(-1)).to.deep.equal([["wal"], [1], [1]]);
  });

  /** A disk that fails until it is mended. */
  async function brokenDisk() {
    let isBroken = true;
    await syncBy(async (real) => {
      if (isBroken) throw Object.assign(new Error("i/o error"), { code: "EIO" });
      await real();
    });
    return { mend: () => (isBroken = false) };
  }

  it("is not answered where the disk fails, and the next one is", async () => {
    const { store, options } = await fixture();
    const disk = await brokenDisk();
    const error = await rejection(store.enter(event));
    expect(error).to.be.instanceOf(StoreUnavailableError);
    expect(error).to.have.property("message", "its log cannot be synced (EIO)");
    disk.mend();
    await store.enter(event);
    const chains = (await readAudit(options)).filter(({ event: name }) => name === "chain-started");
    expect(chains).to.have.length(3);
  });

  it("leaves nothing behind a gap in the log: after a failure, the log is emptied first", async () => {
    const { store, file } = await fixture("off");
    const disk = await brokenDisk();
    await rejection(store.delete(alice, credential.provider));
    disk.mend();
    await store.pin(pin);
    const withoutLog = join(await temporaryFolder(), "copy.sqlite");
    await copyFile(file, withoutLog);
    expect(countCredentials(file)).to.equal(0);
    expect(countCredentials(withoutLog)).to.equal(0);
  });

  it("is refused where the log cannot be emptied after a failure, until it can", async () => {
    const { store, file } = await fixture("off");
    const disk = await brokenDisk();
    await rejection(store.delete(alice, credential.provider));
    disk.mend();
    const reader = new DatabaseSync(file);
    onCleanup(() => reader.isOpen && reader.close());
    reader.exec("begin; select * from properties");
    const error = await rejection(store.pin(pin));
    expect(error).to.be.instanceOf(StoreUnavailableError);
    expect(error).to.have.property("message").that.includes("its log cannot be emptied after a failed sync");
    reader.close();
    await store.pin(pin);
    // And then all is as before.
    await store.spendNonce("nonce", 9_999_999_999);
    expect((await stat(`${file}-wal`)).size).to.be.above(0);
  });
});

function countCredentials(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare("select count(*) as count from credentials").get()?.count);
  } finally {
    database.close();
  }
}
