import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { StoreUnavailableError } from "../../../signer/internal/credentials/storeUnavailable.ts";
import { readAudit } from "../../fixtures/audit.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { engines, newStore } from "../../fixtures/stores.ts";

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

describe("An entry of the audit trail in an SQLite file", () => {
  const { SQLite: createDatabase } = engines;
  if (createDatabase === undefined) throw new Error("There is no SQLite.");

  it("is on the disk before it is called entered, and nothing else waits for the disk", async () => {
    const { store } = await newStore(createDatabase);
    const steps: string[] = [];
    await syncBy(async (real) => {
      steps.push("written");
      await delay(50);
      await store.find(`0x${"11".repeat(20)}`, "microblog");
      steps.push("found");
      await real();
      steps.push("synced");
    });
    await store.enter(event);
    expect([...steps, "entered"]).to.deep.equal(["written", "found", "synced", "entered"]);
  });

  it("is not entered where the disk fails, and the next one is", async () => {
    const { store, options } = await newStore(createDatabase);
    let isBroken = true;
    await syncBy(async (real) => {
      if (isBroken) throw Object.assign(new Error("i/o error"), { code: "EIO" });
      await real();
    });
    const error = await rejection(store.enter(event));
    expect(error).to.be.instanceOf(StoreUnavailableError);
    expect(error).to.have.property("message", "its log cannot be synced (EIO)");
    isBroken = false;
    await store.enter(event);
    const chains = (await readAudit(options)).filter(({ event: name }) => name === "chain-started");
    expect(chains).to.have.length(2);
  });
});
