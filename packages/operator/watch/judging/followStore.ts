import { setTimeout as delay } from "node:timers/promises";
import { withExistingStore } from "@hardhat-identity/store/database/operateStore";
import { pageByKey, pagesOf } from "@hardhat-identity/store/database/paging";
import type { StoreAccess } from "@hardhat-identity/store/database/properties";
import { StoreUnavailableError } from "@hardhat-identity/store/database/storeUnavailable";
import { type ListedEntry, listAudit } from "../../store/operateTrail.ts";
import { refuseProblem } from "./findWithoutEntry.ts";

/** Milliseconds from one reading to the next. */
const everyMs = 30_000;

/** Milliseconds by which two readings overlap. */
const overlapMs = 300_000;

/** Milliseconds for which the first reading is awaited. */
const awaitMs = 10_000;

/**
 * Keeps up with the consumers for which a service has signed or pinned, and the signers that it used. A long trail is read
 * while the watch is at work.
 */
export async function followStore(access: StoreAccess & { readonly chainId: number }) {
  const consumers = new Set<string>();
  const signers = new Set<string>();
  let [since, nextAt] = [0, 0];
  /** The time of the newest entry, unix milliseconds. */
  let newest = 0;
  let problem: unknown;
  let reading: Promise<void> | undefined;

  async function readNew(): Promise<void> {
    const at = Date.now();
    const note = (entry: ListedEntry) => {
      if ("consumer" in entry && entry.chainId === access.chainId) consumers.add(entry.consumer);
      if (entry.event === "signer-used" || entry.event === "verification-signed") signers.add(entry.signer);
      newest = Math.max(newest, entry.at);
    };
    await listAudit({ ...access, since, mustBeNew: true }, note, refuseProblem);
    for (const consumer of await readPinned(access)) consumers.add(consumer);
    // Not only by this machine's clock: while it is ahead, services enter what it takes for past.
    since = Math.min(at, newest) - overlapMs;
  }

  function read(): Promise<void> {
    const end = (failure?: unknown) => {
      [problem, nextAt, reading] = [failure, performance.now() + everyMs, undefined];
    };
    reading ??= readNew().then(() => end(), end);
    return reading;
  }

  await Promise.race([read(), delay(awaitMs, undefined, { ref: false })]);
  return {
    consumers,
    signers,
    /** Reads new entries if the last reading is old, or at once with `now`. Throws if the last reading failed. */
    async refresh(now = false): Promise<void> {
      if (now) await read();
      else if (performance.now() >= nextAt) void read();
      if (problem !== undefined) throw problem;
    },
  };
}

/** PostgreSQL's code. */
const insufficientPrivilege = "42501";

/** The trail names most pinned consumers, too. So a database role without a right to read the pins will do. */
async function readPinned(access: StoreAccess & { readonly chainId: number }): Promise<string[]> {
  return await withExistingStore(access, "read", async ({ database: { db } }) => {
    const consumers: string[] = [];
    // Anybody can have a service pin contracts, so that one statement for all takes too long.
    for await (const pins of pagesOf(pageByKey(db, "pins")))
      for (const pin of pins) if (Number(pin.chain_id) === access.chainId) consumers.push(pin.consumer);
    return consumers;
  }).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError && error.code === insufficientPrivilege) return [];
    throw error;
  });
}
