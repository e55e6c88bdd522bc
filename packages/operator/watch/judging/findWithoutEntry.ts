import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { StoreAccess } from "@hardhat-identity/store/database/properties";
import { type ListedEntry, listAudit } from "../../store/operateTrail.ts";
import type { Log } from "../reading/events.ts";

/** A claim: a consumer's event that an identity was used. */
export type Claim = Log & { readonly time: number };

/** Seconds by which a service's clock may differ from the chain's; both may be a minute off. */
const maxSkewSeconds = 120;

/** Seconds before a claim in which its entry was made: first as a short lifetime has it, then as the longest one. */
const lookBackSeconds = [600, 3_600];

const keyOf = (consumer: string, identityHash = "") => `${consumer} ${identityHash.toLowerCase()}`;

/** A row that cannot be read may have had the entry. */
export function refuseProblem(problem: string): never {
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
