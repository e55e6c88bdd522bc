import type { Traits, TraitValues } from "../../../protocol/traits.ts";

/** What an operator or a provider says of a wallet. */
export interface NewCredential {
  /** 20 bytes hex. */
  readonly wallet: string;
  readonly provider: string;
  /** The provider's own stable id, never a handle. Only its keyed hash is stored. */
  readonly accountId: string;
  readonly traits: TraitValues;
  /** When the person last authenticated at the provider, unix seconds. */
  readonly authenticatedAt: number;
}

/** What the service knows of a wallet at a provider. */
export interface Credential {
  /** Stands for the account, 32 bytes hex; see protocol/identityHash.ts. */
  readonly pseudonym: string;
  readonly traits: Traits;
  /** Unix seconds. */
  readonly authenticatedAt: number;
}

/** Which credential: there is one for each wallet and provider. */
export interface CredentialPlace {
  /** EIP-55 checksummed. */
  readonly wallet: string;
  readonly provider: string;
}

/** A credential with what it belongs to. */
export interface ListedCredential extends Credential, CredentialPlace {}
