import type { Log } from "../reading/events.ts";

/** A claim that no entry of the audit trail accounts for. */
export interface ForgedClaim {
  /**
   * `forged` where a signature proves it, or a known consumer says so; `unproven` where only a contract says so that nobody
   * knows, which anybody may deploy.
   */
  readonly kind: "forged" | "unproven";
  /** EIP-55 checksummed. */
  readonly consumer: string;
  /** 32 bytes hex, as is the identity hash. */
  readonly round: string;
  readonly identityHash: string;
  readonly transactionHash: string;
  readonly block: number;
  /** The address that signed it, or {@link unattributed}. */
  readonly signer: string;
}

/** A signer that was added to the allowlist, and that nobody has named. */
export interface Stranger {
  readonly kind: "stranger";
  readonly signer: string;
  readonly transactionHash: string;
  readonly block: number;
}

/** A finding of a watch. */
export type Finding = (ForgedClaim | Stranger) & {
  /** When it was found, unix milliseconds. */
  readonly foundAt: number;
  /** Whether somebody was told. */
  isTold: boolean;
  /** Whether the webhook has not taken it yet. The next watch tells it again: twice harms nobody. */
  isPosting?: boolean;
  /** Whether its signer was removed since. It is not removed again: the one who adds it again knows why. */
  isBraked: boolean;
};

/** In place of a signer that the call data does not tell. */
export const unattributed = "unattributed";

/**
 * Whether a claim is proven to be forged: by a signature, or by the word of a consumer that the operator named. Anybody can
 * have the service sign once for a contract of theirs, which then tells of claims.
 */
export const isProven = (finding: Finding, named: ReadonlySet<string>): boolean =>
  finding.kind === "forged" && (finding.signer !== unattributed || named.has(finding.consumer));

/** Names a finding without its block, because a reorganization may move its transaction to another one. */
const keyOf = (found: ForgedClaim | Stranger): string =>
  found.kind === "stranger"
    ? `${found.signer} ${found.transactionHash}`
    : `${found.consumer} ${found.round} ${found.identityHash} ${found.transactionHash}`;

/** Milliseconds for which a finding is kept. */
const ttlMs = 86_400_000;

/** The greatest number of findings of each kind. */
const maxFindings = 2_000;

export type Findings = ReturnType<typeof keepFindings>;

/**
 * Keeps the findings of a day.
 *
 * @param onUndone Called with a finding that somebody was told of, and that a reorganization has undone.
 * @param named Consumers whose word proves a claim. Claims that prove nothing cannot push out a finding of theirs.
 */
export function keepFindings(
  kept: readonly Finding[],
  onUndone: (finding: Finding) => void,
  named: ReadonlySet<string>,
) {
  const findings = new Map(kept.map((each) => [keyOf(each), each]));
  /** The findings of blocks that are read again. */
  const loose = new Set<string>();
  return {
    all: () => [...findings.values()],

    note(found: ForgedClaim | Stranger): void {
      const key = keyOf(found);
      loose.delete(key);
      const known = findings.get(key);
      const isNews = known === undefined || (known.signer === unattributed && found.signer !== unattributed);
      if (isNews) findings.set(key, { ...found, foundAt: Date.now(), isTold: false, isBraked: false });
      // The same object, in which the webhook notes that it has taken it.
      else Object.assign(known, { block: found.block });
    },

    /** Takes what was found of an event for found again: it is still there, but cannot be judged now. */
    keep({ address, topics: [, round, identityHash], transactionHash }: Log): void {
      loose.delete(`${address} ${round} ${identityHash} ${transactionHash}`);
    },

    /** Awaits all findings after a block anew. */
    loosen(judged: number): void {
      for (const [key, { block }] of findings) if (block > judged) loose.add(key);
    },

    /** Drops findings that are not found again up to a block, old ones, and those above their kind's limit. */
    tidy(judged: number, confirmed: number): void {
      const counts = new Map<string, number>();
      for (const [key, each] of [...findings].reverse()) {
        const kind = `${each.kind} ${each.signer === unattributed} ${isProven(each, named)}`;
        const count = (counts.get(kind) ?? 0) + 1;
        const isUndone = loose.has(key) && each.block <= judged;
        const isOld = each.block <= confirmed && Date.now() - each.foundAt > ttlMs;
        if (isUndone) loose.delete(key);
        if (isUndone && each.isTold) onUndone(each);
        if (isUndone || isOld || count > maxFindings) findings.delete(key);
        else counts.set(kind, count);
      }
    },
  };
}
