import type { Hex } from "../../../protocol/hex.ts";

/** A row of a chain, as another chain knows it. */
export interface Head {
  readonly writer: string;
  readonly number: number;
  /** 64 hex digits. */
  readonly hash: string;
}

interface SignedVerificationEntry {
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
  /** There only where the operator asks for it: it tells whose the identity hash is. */
  readonly wallet?: string;
}

/** What a request over HTTP changes; a command has none. */
interface Requested {
  readonly requestId?: string;
}

/** Neither the account nor its traits. */
interface CredentialEntry extends Requested {
  readonly event: "credential-set" | "credential-replaced" | "credential-erased" | "credential-imported";
  readonly wallet: string;
  readonly provider: string;
}

interface PinEntry extends Requested {
  readonly event: "pin-made" | "pin-raised" | "pin-imported" | "pin-reset";
  readonly chainId: number;
  readonly consumer: string;
  readonly policyHash: Hex;
  /** Decimal. */
  readonly cutoffBlock: string;
}

interface SignerEntry {
  /** At every start of a process, and whenever another key signs. */
  readonly event: "signer-used";
  readonly chainId: number;
  readonly signer: string;
}

interface SessionsEntry {
  readonly event: "sessions-ended";
}

/** What is signed or changed. */
export type AuditEvent = SignedVerificationEntry | CredentialEntry | PinEntry | SignerEntry | SessionsEntry;

/** What a trail says of itself. */
type TrailEvent =
  /** Where the process runs whose chain begins. */
  | { readonly event: "chain-started"; readonly host: string; readonly pid: number }
  /**
   * The newest rows of other chains, as far as this one has not named them before: one that is missing later was
   * removed. And what was wrong with the ends of chains.
   */
  | { readonly event: "chains-seen"; readonly heads: readonly Head[]; readonly problems?: readonly string[] }
  | { readonly event: "chain-ended" };

/** An entry of the trail. */
export type AuditEntry = (AuditEvent | TrailEvent) & {
  /** When it was entered, unix milliseconds. */
  readonly at: number;
};
