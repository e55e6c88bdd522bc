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

/** The options of a store. */
export interface StoreOptions extends StoreSecrets {
  readonly databaseUrl: string;
  readonly chainId?: number | undefined;
  /** The options of the audit trail, or `"off"`. By default it is on, and nothing is ever removed from it. */
  readonly audit?: AuditOptions | "off" | undefined;
}

/**
 * The credentials, one for each wallet and provider, and the pins of policies. Every change is entered in the audit
 * trail before it is made.
 */
export interface CredentialStore extends CredentialPages, PinStore, Pick<AuditTrail, "enter"> {
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
   * @param patience Milliseconds to wait for it; 0 if left out.
   */
  erased(patience?: number): Promise<boolean>;
  /**
   * Marks a nonce as used, for all replicas. Returns whether it was unused.
   *
   * @param expiresAt Unix seconds after which every use of the nonce is refused anyway.
   */
  spendNonce(nonce: string, expiresAt: number): Promise<boolean>;
  /** The current epoch of the verify page's sessions. Sessions of other epochs have ended. "" before any were ended. */
  sessionEpoch(): Promise<string>;
  /** Ends all sessions of the verify page, on all replicas. */
  endSessions(): Promise<void>;
  /** The chain that the store is for; `undefined` if no service has opened it yet. */
  findChain(): Promise<number | undefined>;
  /** The ids of the keys that decrypt credentials, first the one that encrypts them; see protocol/keys.ts. */
  keyIds(): Promise<readonly string[]>;
  /** Fails when the database does not answer. */
  check(): Promise<void>;
  /** Writes a row that a later write deletes. Fails if requests could not write either. */
  checkWriting(): Promise<void>;
  /** See `Database.connections`. */
  connections(): Promise<StoreConnections | undefined>;
  close(): Promise<void>;
}

/**
 * Opens the store. Creates it or migrates its schema if necessary. Several processes may have it open.
 *
 * @param options.databaseUrl `file:` and a path, relative to the working directory or absolute; or the URL of a
 * PostgreSQL database that only the store uses.
 * @param options.masterSecret 32 bytes hex. A store can be opened only with the secret it was created with.
 * @param options.encryptionSecret Encrypts rows in place of the master secret; 32 bytes hex.
 * @param options.otherEncryptionSecret A further secret that only decrypts rows; 32 bytes hex.
 * @param options.chainId The chain of the wallets, if a service opens the store. The first service binds the store to
 * its chain, because a contract wallet's address may belong to somebody else on another chain.
 * @param options.audit The options of the audit trail; `"off"` enters nothing.
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
  // A process that ended may have left deleted data in the log.
  await erasure.request();

  async function findExactly(wallet: string, provider: string): Promise<Credential | undefined> {
    const sealed = await database.findSealed(wallet, provider);
    return sealed === undefined ? undefined : (seal.open([wallet, provider], sealed) as Credential);
  }

  async function find(wallet: string, provider: string): Promise<Credential | undefined> {
    // An address found as given is checksummed, as all rows are. Computing a checksum takes longer than all else.
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
      // Single statements: during a transaction, another connection of this process would wait forever.
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

/** @throws InvalidInputError when the credential is not valid. */
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
