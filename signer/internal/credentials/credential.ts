import type { Traits, TraitValues } from "../../../protocol/traits.ts";

/** A credential to store, from an operator or a provider. */
export interface NewCredential {
  /** 20 bytes hex. */
  readonly wallet: string;
  readonly provider: string;
  /** The provider's own stable id, never a handle. Only its keyed hash is stored. */
  readonly accountId: string;
  readonly traits: TraitValues;
  /** The time at which the person last authenticated at the provider, unix seconds. */
  readonly authenticatedAt: number;
}

/** A stored credential, without its wallet and provider. */
export interface Credential {
  /** The pseudonym of the account, 32 bytes hex; see protocol/identityHash.ts. */
  readonly pseudonym: string;
  readonly traits: Traits;
  /** Unix seconds. */
  readonly authenticatedAt: number;
}

/** The key of a credential: there is one for each wallet and provider. */
export interface CredentialPlace {
  /** EIP-55 checksummed. */
  readonly wallet: string;
  readonly provider: string;
}

/** A credential with its wallet and provider. */
export interface ListedCredential extends Credential, CredentialPlace {}
