import type { Hex } from "@hardhat-identity/protocol/hex";

/** A reference to a row of a sequence. */
export interface Head {
  readonly writer: string;
  readonly number: number;
  /** 64 hex digits. */
  readonly hash: string;
}

/** The entry of a verification. It has no wallet, which would reveal whose the identity hash is. */
export interface SignedVerificationEntry {
  readonly event: "verification-signed";
  readonly chainId: number;
  /** EIP-55 checksummed, as is every address here. */
  readonly consumer: string;
  readonly policyHash: Hex;
  readonly identityHash: Hex;
  /** Unix seconds. */
  readonly expiration: number;
  readonly signer: string;
  readonly requestId: string;
}

/** A signature or a change. A change by a command has no `requestId`. */
export type AuditEvent =
  | SignedVerificationEntry
  /** A change of a credential. Holds neither the account nor its traits. */
  | {
      readonly event: "credential-set" | "credential-replaced" | "credential-erased";
      readonly wallet: string;
      readonly provider: string;
      readonly requestId?: string;
    }
  | {
      readonly event: "pin-made" | "pin-raised" | "pin-reset";
      readonly chainId: number;
      readonly consumer: string;
      readonly policyHash: Hex;
      /** Decimal. */
      readonly cutoffBlock: string;
      readonly requestId?: string;
    }
  /** Entered at each start of a process, when another key signs, and once the store takes writes again. */
  | { readonly event: "signer-used"; readonly chainId: number; readonly signer: string }
  | { readonly event: "sessions-ended" };

/** An event of the trail itself. */
type TrailEvent =
  /** The host and the id of the process that began the sequence. */
  | { readonly event: "sequence-started"; readonly host: string; readonly pid: number }
  /**
   * The newest rows of other sequences, without those that this sequence has recorded before. A recorded row that is missing
   * later was removed. `problems` describes sequences whose ends are not valid.
   */
  | {
      readonly event: "sequences-seen";
      readonly heads: readonly Head[];
      readonly problems?: readonly string[];
    }
  | { readonly event: "sequence-ended" };

/** An entry of the trail. */
export type AuditEntry = (AuditEvent | TrailEvent) & {
  /** The time of entry, unix milliseconds. */
  readonly at: number;
};
