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
 *
 * @param access.maxConsumers Anybody can have a service sign for many contracts. Those that were used last are kept.
 */
export async function followStore(
  access: StoreAccess & { readonly chainId: number; readonly maxConsumers: number },
) {
  const consumers = lastUsed(access.maxConsumers);
  const signers = new Set<string>();
  let [since, nextAt] = [0, 0];
  /** The time of the newest entry, unix milliseconds. */
  let newest = 0;
  let problem: unknown;
  let reading: Promise<void> | undefined;

  async function readNew(): Promise<void> {
    const at = Date.now();
    const note = (entry: ListedEntry) => {
      if ("consumer" in entry && entry.chainId === access.chainId) consumers.note(entry.consumer, entry.at);
      if (entry.event === "signer-used" || entry.event === "verification-signed") signers.add(entry.signer);
      newest = Math.max(newest, entry.at);
    };
    await listAudit({ ...access, since, mustBeNew: true }, note, refuseProblem);
    await readPinned(access, consumers.note);
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
    /** With the time of its last use, unix milliseconds. */
    consumers: consumers.kept as ReadonlyMap<string, number>,
    /** Whether there are more consumers than are kept. */
    isCut: consumers.isCut,
    signers,
    /** Reads new entries if the last reading is old, or at once with `now`. Throws if the last reading failed. */
    async refresh(now = false): Promise<void> {
      if (now) await read();
      else if (performance.now() >= nextAt) void read();
      if (problem !== undefined) throw problem;
    },
  };
}

/** Keeps so many consumers at most: those that were used last. */
function lastUsed(limit: number) {
  const usedAt = new Map<string, number>();
  let leftAt = Number.NEGATIVE_INFINITY;

  function leaveOne(): void {
    let [least, at] = ["", Number.POSITIVE_INFINITY];
    for (const [consumer, time] of usedAt) if (time < at) [least, at] = [consumer, time];
    usedAt.delete(least);
    leftAt = at;
  }

  return {
    kept: usedAt,
    isCut: () => leftAt > Number.NEGATIVE_INFINITY,
    /** Notes that a consumer was used, at a time in unix milliseconds. */
    note(consumer: string, at: number): void {
      if (at <= (usedAt.get(consumer) ?? leftAt)) return;
      usedAt.set(consumer, at);
      if (usedAt.size > limit) leaveOne();
    },
  };
}

/** PostgreSQL's code. */
const insufficientPrivilege = "42501";

/** The trail names most pinned consumers, too. So a database role without a right to read the pins will do. */
async function readPinned(
  access: StoreAccess & { readonly chainId: number },
  note: (consumer: string, at: number) => void,
): Promise<void> {
  await withExistingStore(access, "read", async ({ database: { db } }) => {
    // Anybody can have a service pin contracts, so that one statement for all takes too long.
    for await (const pins of pagesOf(pageByKey(db, "pins")))
      for (const pin of pins)
        if (Number(pin.chain_id) === access.chainId) note(pin.consumer, Number(pin.pinned_at) * 1_000);
  }).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError && error.code === insufficientPrivilege) return;
    throw error;
  });
}
