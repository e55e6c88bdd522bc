import type { Claim } from "./findEntries.ts";

/** What a watch found. */
export type Finding = Found & {
  /** When it was found, unix milliseconds. */
  readonly foundAt: number;
  /** Whether somebody was told. */
  isTold: boolean;
};
export type Found = ForgedClaim | Stranger;

/** A claim that no entry of the audit trail accounts for. */
export interface ForgedClaim extends Omit<Claim, "time"> {
  /**
   * `forged` where a signature proves it, or a known consumer says so; `unproven` where only a contract says so that nobody
   * knows, which anybody may deploy.
   */
  readonly kind: "forged" | "unproven";
  /** The address that signed it, or {@link unattributed}. */
  readonly signer: string;
  /** Whether its signer was removed since. It is not removed again: the one who adds it again knows why. */
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

/** Names a finding, in whatever block its transaction is: a reorganization may move it to another one. */
export const keyOf = (found: Found): string =>
  found.kind === "stranger"
    ? `${found.signer} ${found.transactionHash}`
    : `${found.consumer} ${found.round} ${found.identityHash} ${found.transactionHash}`;

/** Blocks of which some events could not be judged. */
export interface JudgedInPart {
  readonly from: number;
  readonly to: number;
  /** The contracts, at most twenty; none where the node gave no events. */
  readonly addresses: readonly string[];
  readonly problem: string;
}
