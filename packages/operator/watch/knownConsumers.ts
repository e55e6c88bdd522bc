import { setTimeout as delay } from "node:timers/promises";
import type { StoreAccess } from "@hardhat-identity/signer/internal/database/properties";
import { type KnownByStore, noteKnown } from "./findEntries.ts";

/** Milliseconds: from one reading to the next, by how much they overlap, and for which the first one is awaited. */
const [everyMs, overlapMs, awaitMs] = [30_000, 300_000, 10_000];

/** Keeps up with the consumers and signers that the store knows. A long trail is read while the watch is at work. */
export async function followStore(access: StoreAccess) {
  const known: KnownByStore = { consumers: new Set(), signers: new Set() };
  let since = 0;
  let nextAt = 0;
  let problem: unknown;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const at = Date.now();
    try {
      await noteKnown(known, access, since);
      since = at - overlapMs;
      problem = undefined;
    } catch (error) {
      problem = error;
    }
    nextAt = performance.now() + everyMs;
    reading = undefined;
  }

  reading = read();
  const waiting = new AbortController();
  await Promise.race([reading, delay(awaitMs, undefined, { signal: waiting.signal }).catch(() => undefined)]);
  waiting.abort();
  return {
    known,
    /** Reads new entries if the last reading is old, or at once with `now`. Throws if the last reading failed. */
    async refresh(now = false): Promise<void> {
      if (reading === undefined && (now || performance.now() >= nextAt)) reading = read();
      if (now) await reading;
      if (problem !== undefined) throw problem;
    },
  };
}
