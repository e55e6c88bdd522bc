import { copyFile, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { CredentialStore } from "../../signer/index.ts";
import { StoreUnavailableError } from "../../signer/internal/credentials/storeUnavailable.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { rejection } from "../fixtures/rejection.ts";
import { readAudit } from "../fixtures/signer/audit.ts";
import { alice, bob, credential, engines, newStore } from "../fixtures/signer/stores.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

type Sync = () => Promise<void>;

/** Has files be synced by this, which is given what would have done it. */
async function syncBy(sync: (real: Sync) => Promise<void>): Promise<void> {
  const file = await open(fileURLToPath(import.meta.url));
  const prototype = Object.getPrototypeOf(file);
  await file.close();
  const { datasync } = prototype;
  prototype.datasync = function (this: unknown) {
    return sync(() => datasync.call(this));
  };
  onCleanup(() => {
    prototype.datasync = datasync;
  });
}

const event = { event: "sessions-ended" } as const;
const pin = { chainId: 84532, consumer: bob, policyHash: `0x${"ab".repeat(32)}`, cutoffBlock: 1n } as const;

/** What changes a store that has Alice's credential. */
const changes: Readonly<Record<string, (store: CredentialStore) => Promise<unknown>>> = {
  "a credential": (store) => store.set({ ...credential, wallet: bob }),
  "a deletion": (store) => store.delete(alice, credential.provider),
  "a pin": (store) => store.pin(pin),
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
    return { store: await reopen(audit === "off" ? { audit } : {}), options, file };
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

  it("shares the syncs of those who write at the same time", async () => {
    const { store } = await fixture("off");
    let syncs = 0;
    await syncBy(async (real) => {
      syncs++;
      await real();
    });
    const nonces = Array.from({ length: 50 }, (_, i) => store.spendNonce(`nonce ${i}`, 9_999_999_999));
    await Promise.all(nonces);
    expect(syncs).to.be.within(1, nonces.length - 1);
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
    reader.exec("begin; select * from settings");
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
