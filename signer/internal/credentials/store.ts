import { randomUUID } from "node:crypto";
import { getBytes } from "ethers";
import { readWallClock } from "../../../chain/clock.ts";
import { parseAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { pseudonym } from "../../../protocol/identityHash.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import { readTraits, type Traits } from "../../../protocol/traits.ts";
import { type AuditOptions, openAudit } from "../audit/openAudit.ts";
import type { AuditTrail } from "../audit/trail.ts";
import type { Database, StoreConnections } from "../database/database.ts";
import { readDatabaseLocation } from "../database/databaseUrl.ts";
import { createErasure } from "../database/erasure.ts";
import { migrate } from "../database/migrations.ts";
import { openDatabase } from "../database/openDatabase.ts";
import { describeOpening } from "../database/operateStore.ts";
import { persistStore } from "../database/persistStore.ts";
import {
  checkChain,
  checkEncryptionKeys,
  checkMasterSecret,
  findChain,
  readSessionEpoch,
  renewSessionEpoch,
} from "../database/properties.ts";
import { auditStore } from "./auditStore.ts";
import type { Credential, NewCredential } from "./credential.ts";
import { type CredentialSeal, credentialSeal, type StoreSecrets } from "./credentialSeal.ts";
import { type CredentialPages, createPages } from "./pages.ts";
import { createPinStore, type PinStore } from "./pins.ts";

/** How a store is opened. */
export interface StoreOptions extends StoreSecrets {
  readonly databaseUrl: string;
  readonly chainId?: number | undefined;
  /** How changes are entered in the audit trail; without a word they are, and nothing is ever removed from it. */
  readonly audit?: AuditOptions | "off" | undefined;
}

/**
 * The credentials: one for each wallet and provider; and the pins of policies. Every change is entered in the audit trail, before it is made.
 */
export interface CredentialStore extends CredentialPages, PinStore, Pick<AuditTrail, "enter"> {
  /**
   * Stores a credential in place of the one that the wallet has at this provider, which is erased as by `delete`.
   *
   * @param requestId For the audit trail, as wherever a request over HTTP changes something.
   */
  set(credential: NewCredential, requestId?: string): Promise<void>;
  find(wallet: string, provider: string): Promise<Credential | undefined>;
  /** Whether the wallet has a credential at this provider, be it one that cannot be read. */
  has(wallet: string, provider: string): Promise<boolean>;
  /** Whether the wallet has a credential of another account at this provider: one that {@link set} would replace. */
  hasOtherAccount(wallet: string, provider: string, accountId: string): Promise<boolean>;
  /**
   * Erases a credential. Answers whether there was one. It leaves the database's log, too: at once, or when the reader
   * or writer ends that is in the way; see {@link erased}.
   */
  delete(wallet: string, provider: string, requestId?: string): Promise<boolean>;
  /**
   * Whether all that was deleted or replaced has left the database's files.
   *
   * @param patience Milliseconds to wait for it; 0 when left out.
   */
  erased(patience?: number): Promise<boolean>;
  /**
   * Uses a nonce up, for every replica. Answers whether it was unused.
   *
   * @param expiresAt Unix seconds after which whatever carries the nonce is refused anyway.
   */
  spendNonce(nonce: string, expiresAt: number): Promise<boolean>;
  /** What sessions of the verify page belong to: those of another epoch have ended. "" before any were ended. */
  sessionEpoch(): Promise<string>;
  /** Ends all sessions of the verify page, at every replica. */
  endSessions(): Promise<void>;
  /** The chain that the store is for; undefined where no service has opened it yet. */
  findChain(): Promise<number | undefined>;
  /** Ids of the keys that it opens credentials with, that with which it seals them first; see protocol/keys.ts. */
  keyIds(): Promise<readonly string[]>;
  /** Fails when the database does not answer. */
  check(): Promise<void>;
  /** Writes something that is gone again with the next such write. Fails where requests could not write, either. */
  checkWriting(): Promise<void>;
  /** See Database. */
  connections(): Promise<StoreConnections | undefined>;
  close(): Promise<void>;
}

/**
 * Opens the store, and creates it or brings its schema up to date where needed. Several processes may have it open.
 *
 * @param options.databaseUrl `file:` and a path, relative to the working directory or absolute; or the URL of a
 * PostgreSQL database, which is the store's alone.
 * @param options.masterSecret 32 bytes hex. A store can be opened only with the secret it was created with.
 * @param options.encryptionSecret What rows are encrypted with, where that is not to be the master secret; 32 bytes hex.
 * @param options.otherEncryptionSecret Another one with which they may be encrypted.
 * @param options.chainId The chain whose wallets it is for, from a service: the first one that opens a store makes it its
 * own. A contract wallet's address may be somebody else's on another chain.
 * @param options.audit How the audit trail is kept; `"off"` enters nothing.
 * @throws InvalidInputError when the URL, the secret or the chain cannot be used.
 *
 * @example
 * ```ts
 * const store = await openCredentialStore({ databaseUrl: "file:identity.sqlite", masterSecret });
 * await store.set({
 *   wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
 *   provider: "microblog",
 *   accountId: "1284917",
 *   traits: { followers: "1200" },
 *   authenticatedAt: Math.floor(Date.now() / 1000),
 * });
 * await store.close();
 * ```
 */
export async function openCredentialStore(options: StoreOptions): Promise<CredentialStore> {
  const masterSecret = getBytes(options.masterSecret);
  const seal = credentialSeal(options);
  const location = readDatabaseLocation(options.databaseUrl);
  let database: Database | undefined;
  try {
    database = await openDatabase(location);
    await migrate(database);
    await checkMasterSecret(database.db, masterSecret);
    await checkEncryptionKeys(database.db, seal);
    if (options.chainId !== undefined) await checkChain(database.db, options.chainId);
  } catch (error) {
    await database?.close();
    throw describeOpening(location, error);
  }
  const { audit = {} } = options;
  const unaudited = await createStore(database, masterSecret, seal);
  const store = persistStore(unaudited, ["close", "delete", "resetPins", "spendNonce"]);
  if (audit === "off") return { ...store, enter: async () => undefined };
  return auditStore(store, openAudit(database.db, masterSecret, audit), readCredential);
}

async function createStore(
  database: Database,
  masterSecret: Uint8Array,
  seal: CredentialSeal,
): Promise<Omit<CredentialStore, "enter">> {
  const { db } = database;
  const accountKey = deriveKey(masterSecret, "account");
  const erasure = createErasure(database.emptyLog);
  // A process that ended may have left something.
  await erasure.request();

  async function findExactly(wallet: string, provider: string): Promise<Credential | undefined> {
    const sealed = await database.findSealed(wallet, provider);
    return sealed === undefined ? undefined : (seal.open([wallet, provider], sealed) as Credential);
  }

  async function find(wallet: string, provider: string): Promise<Credential | undefined> {
    // Rows have checksums: who is found as it was given has the right one, and computing it takes longer than all else.
    return (await findExactly(wallet, provider)) ?? (await findExactly(readWallet(wallet), provider));
  }

  async function spendNonce(nonce: string, expiresAt: number): Promise<boolean> {
    const now = readWallClock();
    await db.deleteFrom("spent_nonces").where("expires_at", "<", now).execute();
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("spent_nonces")
      .values({ nonce, expires_at: expiresAt })
      .onConflict((conflict) => conflict.column("nonce").doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  return {
    ...createPinStore(db),
    ...createPages(db, seal, erasure),
    async set(credential) {
      const { wallet, provider, traits } = readCredential(credential);
      const { accountId, authenticatedAt } = credential;
      const stored = { pseudonym: pseudonym({ accountKey, provider, accountId }), traits, authenticatedAt };
      const sealed = seal.close([wallet, provider], stored satisfies Credential);
      // One statement at a time: within a transaction, another connection of this process would wait for ever.
      for (;;) {
        const { numInsertedOrUpdatedRows: inserted } = await db
          .insertInto("credentials")
          .values({ wallet, provider, sealed })
          .onConflict((conflict) => conflict.columns(["wallet", "provider"]).doNothing())
          .executeTakeFirst();
        if (inserted === 1n) return;
        const { numUpdatedRows: replaced } = await db
          .updateTable("credentials")
          .set({ sealed })
          .where("wallet", "=", wallet)
          .where("provider", "=", provider)
          .executeTakeFirst();
        if (replaced === 1n) return await erasure.request();
      }
    },
    find,
    has: async (wallet, provider) => (await database.findSealed(readWallet(wallet), provider)) !== undefined,
    async hasOtherAccount(wallet, provider, accountId) {
      const known = await find(wallet, provider);
      return known !== undefined && known.pseudonym !== pseudonym({ accountKey, provider, accountId });
    },
    async delete(wallet, provider) {
      const { numDeletedRows } = await db
        .deleteFrom("credentials")
        .where("wallet", "=", readWallet(wallet))
        .where("provider", "=", provider)
        .executeTakeFirst();
      if (numDeletedRows > 0n) await erasure.request();
      return numDeletedRows > 0n;
    },
    erased: (patience = 0) => erasure.done(patience),
    spendNonce,
    sessionEpoch: () => readSessionEpoch(db),
    endSessions: () => renewSessionEpoch(db),
    findChain: () => findChain(db),
    keyIds: async () => seal.keyIds,
    check: database.check,
    checkWriting: async () => void (await spendNonce(`check:${randomUUID()}`, readWallClock())),
    connections: database.connections,
    async close() {
      await erasure.stop();
      await database.close();
    },
  };
}

/** @throws InvalidInputError when it is none that can be used. */
function readCredential(credential: NewCredential): { wallet: string; provider: string; traits: Traits } {
  const { provider, accountId, authenticatedAt } = credential;
  const traits = readTraits(provider, credential.traits);
  if (accountId === "" || /\p{Surrogate}/u.test(accountId)) {
    throw new InvalidInputError("The account id must be a text of at least one character.");
  }
  if (!Number.isSafeInteger(authenticatedAt) || authenticatedAt < 0) {
    throw new InvalidInputError(
      `The time of authentication must be whole unix seconds, got ${authenticatedAt}.`,
    );
  }
  return { wallet: readWallet(credential.wallet), provider, traits };
}

const readWallet = (wallet: string) => parseAddress("The wallet", wallet);
