import { setTimeout as delay } from "node:timers/promises";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { withExistingStore } from "@hardhat-identity/store/database/operateStore";
import type { StoreAccess } from "@hardhat-identity/store/database/properties";
import { type ListedEntry, listAudit } from "../store/operateTrail.ts";
import type { Log } from "./events.ts";

/** A claim: a consumer's event that an identity was used. */
export type Claim = Log & { readonly time: number };

/** Seconds by which a service's clock may differ from the chain's; both may be a minute off. */
const maxSkewSeconds = 120;

/** Seconds before a claim in which its entry was made: first as a short lifetime has it, then as the longest one. */
const lookBackSeconds = [600, 3_600];

const keyOf = (consumer: string, identityHash = "") => `${consumer} ${identityHash.toLowerCase()}`;

/** A row that cannot be read may have had the entry. */
function refuseProblem(problem: string): never {
  throw new InvalidInputError(problem);
}

/**
 * Finds the claims that no entry of the audit trail accounts for: no verification of this identity at this consumer that
 * had not expired was entered before.
 *
 * @param options.isLocal Whether the chain's clock may be anywhere, so that times of entries prove nothing.
 * @returns `isCut` if some of them may have had an entry that has been removed as too old.
 * @throws InvalidInputError when the trail cannot be read.
 */
export async function findWithoutEntry(
  claims: readonly Claim[],
  options: StoreAccess & { readonly isLocal: boolean },
): Promise<{ open: readonly Claim[]; isCut: boolean }> {
  const { isLocal } = options;
  let open = claims;
  let isCut = false;
  for (const lookBack of isLocal ? [Number.POSITIVE_INFINITY] : lookBackSeconds) {
    const times = open.map(({ time }) => time).sort((a, b) => a - b);
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    if (times.length === 0) break;
    isCut = false;
    const entries = new Map(open.map(({ address, topics }) => [keyOf(address, topics[2]), [] as Entry[]]));
    const note = (entry: ListedEntry) => {
      if (entry.event === "verification-signed")
        entries.get(keyOf(entry.consumer, entry.identityHash))?.push(entry);
    };
    const since = isLocal ? 0 : (first - lookBack - maxSkewSeconds) * 1_000;
    const until = isLocal ? Number.POSITIVE_INFINITY : (last + maxSkewSeconds) * 1_000;
    const onRemoved = () => (isCut = true);
    await listAudit({ ...options, since, until, mustBeNew: true, onRemoved }, note, refuseProblem);
    open = open.filter(({ address, topics, time }) => {
      const isOfClaim = ({ at, expiration }: Entry) =>
        (isLocal || at <= (time + maxSkewSeconds) * 1_000) && expiration >= time;
      return !entries.get(keyOf(address, topics[2]))?.some(isOfClaim);
    });
  }
  return { open, isCut: isCut && open.length > 0 };
}

type Entry = Pick<Extract<ListedEntry, { event: "verification-signed" }>, "at" | "expiration">;

/** Milliseconds: from one reading to the next, by how much they overlap, and for which the first one is awaited. */
const [everyMs, overlapMs, awaitMs] = [30_000, 300_000, 10_000];

/**
 * Keeps up with the consumers for which a service has signed or pinned, and the signers that it used. A long trail is read
 * while the watch is at work.
 */
export async function followStore(access: StoreAccess & { readonly chainId: number }) {
  const consumers = new Set<string>();
  const signers = new Set<string>();
  let [since, nextAt] = [0, 0];
  let problem: unknown;
  let reading: Promise<void> | undefined;

  async function readNew(): Promise<void> {
    const at = Date.now();
    const note = (entry: ListedEntry) => {
      if ("consumer" in entry && entry.chainId === access.chainId) consumers.add(entry.consumer);
      if (entry.event === "signer-used" || entry.event === "verification-signed") signers.add(entry.signer);
    };
    await listAudit({ ...access, since, mustBeNew: true }, note, refuseProblem);
    for (const consumer of await readPinned(access)) consumers.add(consumer);
    since = at - overlapMs;
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

/** The trail names most pinned consumers, too. So a database role without a right to read the pins will do. */
async function readPinned(access: StoreAccess & { readonly chainId: number }): Promise<string[]> {
  return await withExistingStore(access, "read", async ({ database: { db } }) => {
    const pins = db.selectFrom("pins").select("consumer").where("chain_id", "=", access.chainId);
    return (await pins.execute()).map(({ consumer }) => consumer);
  }).catch(() => []);
}
