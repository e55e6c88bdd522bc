import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { type ListedEntry, listAudit } from "@hardhat-identity/signer/internal/audit/operateTrail";
import { withExistingStore } from "@hardhat-identity/signer/internal/database/operateStore";
import type { StoreAccess } from "@hardhat-identity/signer/internal/database/properties";

/** A claim: a consumer's event that an identity was used. */
export interface Claim {
  /** EIP-55 checksummed. */
  readonly consumer: string;
  /** 32 bytes hex, as is the identity hash. */
  readonly round: string;
  readonly identityHash: string;
  readonly transactionHash: string;
  readonly block: number;
  /** The time of its block, unix seconds. */
  readonly time: number;
}

/** Seconds by which a service's clock may differ from the chain's; both may be a minute off. */
const maxSkewSeconds = 120;

/** Seconds before a claim in which its entry was made: first as a short lifetime has it, then as the longest one. */
const lookBackSeconds = [600, 3_600];

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
): Promise<{ open: Claim[]; isCut: boolean }> {
  let result = { open: [...claims], isCut: false };
  for (const lookBack of options.isLocal ? [undefined] : lookBackSeconds) {
    if (result.open.length === 0) break;
    result = await without(result.open, options, lookBack);
  }
  return result;
}

async function without(
  claims: Claim[],
  location: StoreAccess,
  lookBack: number | undefined,
): Promise<{ open: Claim[]; isCut: boolean }> {
  // No spread into push(): an attacker can make more claims than a call takes arguments.
  const times = claims.map(({ time }) => time);
  const bounds =
    lookBack === undefined
      ? {}
      : {
          since: (times.reduce((a, b) => Math.min(a, b)) - lookBack - maxSkewSeconds) * 1000,
          until: (times.reduce((a, b) => Math.max(a, b)) + maxSkewSeconds) * 1000,
        };
  const byKey = new Map<string, Claim[]>();
  for (const claim of claims) {
    const same = byKey.get(keyOf(claim));
    if (same === undefined) byKey.set(keyOf(claim), [claim]);
    else same.push(claim);
  }
  const accounted = new Set<Claim>();
  let isCut = false;
  const options = { ...location, ...bounds, mustBeNew: true, onRemoved: () => (isCut = true) };
  const note = (entry: ListedEntry) => {
    if (entry.event !== "verification-signed") return;
    const { at, expiration } = entry;
    for (const claim of byKey.get(keyOf(entry)) ?? []) {
      const isBefore = lookBack === undefined || at <= (claim.time + maxSkewSeconds) * 1000;
      if (isBefore && expiration >= claim.time) accounted.add(claim);
    }
  };
  await listAudit(options, note, refuseProblem);
  const open = claims.filter((claim) => !accounted.has(claim));
  return { open, isCut: isCut && open.length > 0 };
}

const keyOf = ({ consumer, identityHash }: { consumer: string; identityHash: string }) =>
  `${consumer} ${identityHash.toLowerCase()}`;

/** A row that cannot be read may have had the entry. */
function refuseProblem(problem: string): never {
  throw new InvalidInputError(problem);
}

/** The consumers for which a service has signed or pinned, and the signers that it used. */
export interface KnownByStore {
  readonly consumers: Set<string>;
  readonly signers: Set<string>;
}

/** Notes what the trail and the pins say since a time, unix milliseconds. */
export async function noteKnown(known: KnownByStore, access: StoreAccess, since: number): Promise<void> {
  const note = (entry: ListedEntry) => {
    if ("consumer" in entry && entry.chainId === access.chainId) known.consumers.add(entry.consumer);
    if (entry.event === "signer-used" || entry.event === "verification-signed")
      known.signers.add(entry.signer);
  };
  await listAudit({ ...access, since, mustBeNew: true }, note, refuseProblem);
  for (const consumer of await readPinned(access)) known.consumers.add(consumer);
}

/** The trail names most pinned consumers, too. So a database role without a right to read the pins will do. */
async function readPinned(access: StoreAccess): Promise<string[]> {
  return await withExistingStore(access, "read", async ({ database: { db } }) => {
    const pins = db
      .selectFrom("pins")
      .select("consumer")
      .where("chain_id", "=", access.chainId ?? 0);
    return (await pins.execute()).map(({ consumer }) => consumer);
  }).catch(() => []);
}
