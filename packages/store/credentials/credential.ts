import { parseAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { lastChainSecond } from "@hardhat-identity/protocol/lastSeconds";
import { readTraits, type Traits, type TraitValues } from "@hardhat-identity/protocol/traits";
import type { RefusalCounter } from "../audit/refusals.ts";
import type { AuditTrail } from "../audit/trail.ts";
import type { StoreConnections } from "../database/database.ts";
import type { PinStore } from "./pins.ts";

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
  /** The pseudonym of the account, 32 bytes hex; see packages/protocol/protocolHashes.ts. */
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

/** Selects credentials: those of a wallet, those after one. */
export interface CredentialFilter {
  readonly wallet?: string;
  readonly after?: CredentialPlace;
}

/**
 * The credentials, one for each wallet and provider, and the pins of policies. Every change is entered in the audit
 * trail before it is made.
 */
export interface CredentialStore extends PinStore, RefusalCounter, Pick<AuditTrail, "enter"> {
  /**
   * Lists a page of the credentials, or of those of one wallet, ordered by wallet and provider; see `everyCredential`.
   *
   * @param filter.after The credential before the page.
   * @throws InvalidInputError that names a credential which was altered, or is another store's.
   */
  list(filter?: CredentialFilter): Promise<ListedCredential[]>;
  /**
   * Stores a credential. The wallet's former credential at this provider is erased as by `delete`.
   *
   * @param requestId The id of the HTTP request that makes the change, for the audit trail.
   */
  set(credential: NewCredential, requestId?: string): Promise<void>;
  find(wallet: string, provider: string): Promise<Credential | undefined>;
  /** Whether the wallet has a credential at this provider, even one that cannot be decrypted. */
  has(wallet: string, provider: string): Promise<boolean>;
  /** Whether the wallet has a credential of another account at this provider, which {@link set} would replace. */
  hasOtherAccount(wallet: string, provider: string, accountId: string): Promise<boolean>;
  /**
   * Erases a credential. Returns whether there was one. It is removed from the database's log, too: at once, or as soon
   * as no other reader or writer prevents it; see {@link erased}.
   */
  delete(wallet: string, provider: string, requestId?: string): Promise<boolean>;
  /**
   * Whether all deleted and replaced credentials are gone from the database's files.
   *
   * @param timeoutMs How long to wait for it; 0 if left out.
   */
  erased(timeoutMs?: number): Promise<boolean>;
  /**
   * Marks a nonce as used, for all replicas. Returns whether it was unused.
   *
   * @param expiresAt Unix seconds after which every use of the nonce is refused anyway.
   */
  spendNonce(nonce: string, expiresAt: number): Promise<boolean>;
  /** Whether a nonce was marked as used, by any replica. */
  isSpent(nonce: string): Promise<boolean>;
  /** The current epoch of the verify page's sessions. Sessions of other epochs have ended. "" before any were ended. */
  sessionEpoch(): Promise<string>;
  /** Ends all sessions of the verify page, on all replicas. */
  endSessions(): Promise<void>;
  /** Remembers that a registry's allowlist has a signer of this service, for {@link wasAllowed}. */
  noteAllowed(registry: string, signer: string): Promise<void>;
  /** Whether a replica has ever seen a signer on a registry's allowlist. */
  wasAllowed(registry: string, signer: string): Promise<boolean>;
  /** Fails when the database does not answer, or the store has become another one. */
  check(): Promise<void>;
  /** Writes a row that a later write deletes. Fails if requests could not write either. */
  checkWriting(): Promise<void>;
  /** Whether nobody has a credential. */
  isEmpty(): Promise<boolean>;
  /** See `Database.connections`. */
  connections(): Promise<StoreConnections | undefined>;
  close(): Promise<void>;
}

/** The parts of a store that need no right to write. */
export type ReadableStore = Pick<CredentialStore, "list" | "listPins">;

/** Validates a credential. */
export function checkCredential(credential: NewCredential): CredentialPlace & { traits: Traits } {
  const { provider, accountId, authenticatedAt } = credential;
  const traits = readTraits(provider, credential.traits);
  if (accountId === "" || /\p{Surrogate}/u.test(accountId)) {
    throw new InvalidInputError("The account id must be a text of at least one character.");
  }
  if (!Number.isSafeInteger(authenticatedAt) || authenticatedAt < 0 || authenticatedAt > lastChainSecond) {
    throw new InvalidInputError(
      `The time of authentication must be whole unix seconds, got ${authenticatedAt}.`,
    );
  }
  return { wallet: readWallet(credential.wallet), provider, traits };
}

export const readWallet = (wallet: string) => parseAddress("The wallet", wallet);
