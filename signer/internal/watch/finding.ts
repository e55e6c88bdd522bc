import type { Claim } from "./findEntries.ts";

/** What a watch found. */
export type Finding = (ForgedClaim | Stranger) & {
  /** When it was found, unix milliseconds. */
  readonly foundAt: number;
  /** Whether its block can be undone no more, as far as the chain says. */
  isConfirmed: boolean;
  /** Whether somebody was told. */
  isTold: boolean;
};

/** A claim that no entry of the audit trail accounts for. */
export interface ForgedClaim extends Omit<Claim, "time"> {
  readonly kind: "forged";
  /** The address that signed it, or {@link unattributed}. */
  readonly signer: string;
  /** Whether its signer was removed since. It is not removed again: whoever adds it again knows why. */
  isBraked: boolean;
}

/** A signer that was added to the allowlist, and that nobody has named. */
export interface Stranger {
  readonly kind: "stranger";
  readonly signer: string;
  readonly transactionHash: string;
  readonly block: number;
}

/** In place of a signer that the call data does not tell. */
export const unattributed = "unattributed";

/** Names a finding, in whatever block its transaction is: a reorganisation may move it to another one. */
export const keyOf = (found: ForgedClaim | Stranger): string =>
  found.kind === "stranger"
    ? `${found.signer} ${found.transactionHash}`
    : `${found.consumer} ${found.round} ${found.identityHash} ${found.transactionHash}`;
