import { InvalidInputError } from "../../../protocol/errors.ts";
import { type ListedEntry, listAudit } from "../audit/operateTrail.ts";
import type { StoreAccess } from "../database/properties.ts";

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
 * @throws InvalidInputError when the trail cannot be read, or entries of that time have been removed.
 */
export async function findWithoutEntry(
  claims: readonly Claim[],
  options: StoreAccess & { readonly isLocal: boolean },
): Promise<Claim[]> {
  let open = [...claims];
  for (const lookBack of options.isLocal ? [undefined] : lookBackSeconds) {
    if (open.length === 0) return [];
    open = await without(open, options, lookBack);
  }
  return open;
}

async function without(
  claims: Claim[],
  location: StoreAccess,
  lookBack: number | undefined,
): Promise<Claim[]> {
  const times = claims.map(({ time }) => time);
  const bounds =
    lookBack === undefined
      ? {}
      : {
          since: (Math.min(...times) - lookBack - maxSkewSeconds) * 1000,
          until: (Math.max(...times) + maxSkewSeconds) * 1000,
        };
  const byKey = new Map<string, Claim[]>();
  for (const claim of claims) byKey.set(keyOf(claim), [...(byKey.get(keyOf(claim)) ?? []), claim]);
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
  const left = claims.filter((claim) => !accounted.has(claim));
  if (isCut && left.length > 0) {
    throw new InvalidInputError(
      `Entries of the audit trail from the time of block ${left[0]?.block} have been removed as too old (IDENTITY_AUDIT_RETENTION): begin with a later block (--from-block).`,
    );
  }
  return left;
}

const keyOf = ({ consumer, identityHash }: { consumer: string; identityHash: string }) =>
  `${consumer} ${identityHash.toLowerCase()}`;

/** A row that cannot be read may have had the entry. */
function refuseProblem(problem: string): never {
  throw new InvalidInputError(problem);
}

/** Finds the signers that a service with this store has used. */
export async function findUsedSigners(location: StoreAccess): Promise<Set<string>> {
  const signers = new Set<string>();
  const note = (entry: ListedEntry) => {
    if (entry.event === "signer-used" || entry.event === "verification-signed") signers.add(entry.signer);
  };
  await listAudit({ ...location, mustBeNew: true }, note, refuseProblem);
  return signers;
}
