import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { StoreAccess } from "@hardhat-identity/signer/store";
import { type ListedEntry, listAudit } from "../store/operateTrail.ts";
import type { Log } from "./readEvents.ts";

/** A claim: a consumer's event that an identity was used. */
export type Claim = Log & { readonly time: number };

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
): Promise<{ open: readonly Claim[]; isCut: boolean }> {
  let open = claims;
  let isCut = false;
  for (const lookBack of options.isLocal ? [Number.POSITIVE_INFINITY] : lookBackSeconds) {
    if (open.length === 0) break;
    const byKey = new Map<string, Claim[]>();
    let [since, until] = [Number.POSITIVE_INFINITY, 0];
    for (const claim of open) {
      const key = keyOf(claim.address, claim.topics[2]);
      const same = byKey.get(key) ?? [];
      byKey.set(key, same);
      same.push(claim);
      since = Math.min(since, claim.time - lookBack - maxSkewSeconds);
      until = Math.max(until, claim.time + maxSkewSeconds);
    }
    const accounted = new Set<Claim>();
    const note = (entry: ListedEntry) => {
      if (entry.event !== "verification-signed") return;
      const { at, consumer, identityHash, expiration } = entry;
      for (const claim of byKey.get(keyOf(consumer, identityHash)) ?? []) {
        const isBefore = options.isLocal || at <= (claim.time + maxSkewSeconds) * 1000;
        if (isBefore && expiration >= claim.time) accounted.add(claim);
      }
    };
    isCut = false;
    const bounds = options.isLocal ? {} : { since: since * 1000, until: until * 1000 };
    const onRemoved = () => (isCut = true);
    await listAudit({ ...options, ...bounds, mustBeNew: true, onRemoved }, note, refuseProblem);
    open = open.filter((claim) => !accounted.has(claim));
  }
  return { open, isCut: isCut && open.length > 0 };
}

const keyOf = (consumer: string, identityHash = "") => `${consumer} ${identityHash.toLowerCase()}`;

/** A row that cannot be read may have had the entry. */
export function refuseProblem(problem: string): never {
  throw new InvalidInputError(problem);
}
