import { randomUUID } from "node:crypto";
import { getBytes } from "ethers";
import { sql } from "kysely";
import { readWallClock } from "../../../chain/clock.ts";
import { parseAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { pseudonym } from "../../../protocol/identityHash.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import { readTraits, type Traits } from "../../../protocol/traits.ts";
import { type AuditOptions, openAudit } from "../audit/openAudit.ts";
import type { AuditTrail } from "../audit/trail.ts";
import type { StoreConnections } from "../database/database.ts";
import { createErasure } from "../database/erasure.ts";
import { type OpenStore, openExistingStore, openStore, type StoreAccess } from "../database/operateStore.ts";
import {
  readSessionEpoch,
  renewSessionEpoch,
  requireSameStore,
  storeProperty,
} from "../database/properties.ts";
import type { Seal } from "../database/seal.ts";
import { persistStore } from "../database/storeCalls.ts";
import { auditStore } from "./auditStore.ts";
import type { Credential, NewCredential } from "./credential.ts";
import { credentialSeal } from "./credentialSeal.ts";
import { type CredentialPages, createPages } from "./pages.ts";
import { createPinStore, type PinStore } from "./pins.ts";

/** The options of a store. */
export interface StoreOptions extends StoreAccess {
  /**
   * Fails unless this machine's clock is known to be right. Only then is anything removed because it is too old. If left
   * out, the clock is trusted.
   */
  readonly confirmClock?: () => Promise<void>;
  /** The options of the audit trail. By default, nothing is ever removed from it. */
  readonly audit?: AuditOptions | undefined;
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
   * @param timeoutMs How long to wait for it; 0 if left out.
   */
  erased(timeoutMs?: number): Promise<boolean>;
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

/**
 * Opens the store. Creates it or migrates its schema if necessary. Several processes may have it open.
 *
 * @param options.databaseUrl `file:` and a path, relative to the working directory or absolute; or the URL of a
 * PostgreSQL database that only the store uses.
 * @param options.masterSecret 32 bytes hex. A store can be opened only with the secret it was created with.
 * @param options.encryptionSecret Encrypts credentials in place of the master secret; 32 bytes hex. A store has one such
 * secret, which only {@link reencryptStore} changes.
 * @param options.chainId The chain of the wallets. A new store needs it, and is bound to it, because a contract wallet's
 * address may belong to somebody else on another chain.
 * @param options.confirmClock Fails unless this machine's clock is known to be right; see `StoreOptions`.
 * @param options.audit The options of the audit trail.
 * @throws InvalidInputError when the URL, a secret or the chain is not the store's. Then nothing was written.
 *
 * @example
 * ```ts
 * const store = await openCredentialStore({
 *   databaseUrl: "file:identity.sqlite",
 *   masterSecret,
 *   chainId: 84532,
 * });
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
  const opened = await openStore(options);
  const { audit = {}, confirmClock = async () => undefined } = options;
  const masterSecret = getBytes(options.masterSecret);
  const unaudited = await createStore(
    opened,
    masterSecret,
    credentialSeal(options, opened.identity),
    confirmClock,
  );
  const store = persistStore(unaudited, ["close", "delete", "resetPins", "spendNonce"]);
  return auditStore(store, openAudit(opened, masterSecret, confirmClock, audit), readCredential);
}

/** What can be read of a store without a right to write to it. */
export type ReadableStore = CredentialPages & Pick<PinStore, "listPins">;

/**
 * Reads a store that is there already. Changes nothing.
 *
 * @throws InvalidInputError when there is no store, or it has other secrets.
 */
export async function readStore<T>(
  options: StoreAccess,
  use: (store: ReadableStore) => Promise<T>,
): Promise<T> {
  const { database, identity } = await openExistingStore(options, "read");
  try {
    const { list } = createPages(database.db, credentialSeal(options, identity));
    return await use({ list, listPins: createPinStore(database.db).listPins });
  } finally {
    await database.close();
  }
}

async function createStore(
  { database, identity }: OpenStore,
  masterSecret: Uint8Array,
  seal: Seal,
  confirmClock: () => Promise<void>,
): Promise<Omit<CredentialStore, "enter">> {
  const { db } = database;
  const accountKey = deriveKey(masterSecret, "account");
  const erasure = createErasure(database.emptyLog);
  // A process that ended may have left deleted data in the log.
  await erasure.request();

  // Compiled once, as every claim runs it.
  const lookUp = db
    .selectFrom("credentials")
    .select("sealed")
    .where("wallet", "=", "")
    .where("provider", "=", "")
    .compile();

  async function findSealed(wallet: string, provider: string): Promise<string | undefined> {
    const { rows } = await db.executeQuery<{ sealed: string }>({ ...lookUp, parameters: [wallet, provider] });
    return rows[0]?.sealed;
  }

  async function findExactly(wallet: string, provider: string): Promise<Credential | undefined> {
    const sealed = await findSealed(wallet, provider);
    if (sealed === undefined) return undefined;
    try {
      return seal.open([wallet, provider], sealed) as Credential;
    } catch (error) {
      await check();
      throw error;
    }
  }

  async function find(wallet: string, provider: string): Promise<Credential | undefined> {
    // An address found as given is checksummed, as all rows are. Computing a checksum takes longer than all else.
    return (await findExactly(wallet, provider)) ?? (await findExactly(readWallet(wallet), provider));
  }

  const check = () => requireSameStore(db, identity);
  const sameStore = db
    .selectFrom("properties")
    .where("name", "=", storeProperty)
    .where("value", "=", identity.record);

  async function spendNonce(nonce: string, expiresAt: number): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("spent_nonces")
      .values({ nonce, expires_at: expiresAt })
      .onConflict((conflict) => conflict.column("nonce").doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async function forgetNonces(): Promise<void> {
    await confirmClock();
    await db.deleteFrom("spent_nonces").where("expires_at", "<", readWallClock()).execute();
  }
  let forgetting = Promise.resolve();
  const forget = () => {
    // What is left is forgotten an hour later. Meanwhile it only takes room.
    forgetting = forgetting.then(forgetNonces).catch(() => undefined);
  };
  forget();
  const forgetEveryHour = setInterval(forget, 3_600_000).unref();

  return {
    ...createPinStore(db),
    ...createPages(db, seal),
    async set(credential) {
      const { wallet, provider, traits } = readCredential(credential);
      const { accountId, authenticatedAt } = credential;
      const stored = { pseudonym: pseudonym({ accountKey, provider, accountId }), traits, authenticatedAt };
      const sealed = seal.close([wallet, provider], stored satisfies Credential);
      // Single statements: during a transaction, another connection of this process would wait forever. They write
      // nothing to a store that was re-encrypted meanwhile.
      for (;;) {
        const { numUpdatedRows: replaced } = await db
          .updateTable("credentials")
          .set({ sealed })
          .where("wallet", "=", wallet)
          .where("provider", "=", provider)
          .where(({ exists }) => exists(sameStore.select("name")))
          .executeTakeFirst();
        if (replaced === 1n) return await erasure.request();
        const { numInsertedOrUpdatedRows: inserted } = await db
          .insertInto("credentials")
          .columns(["wallet", "provider", "sealed"])
          .expression(
            sameStore
              .select([sql<string>`${wallet}`.as("wallet"), sql<string>`${provider}`.as("provider")])
              .select(sql<string>`${sealed}`.as("sealed")),
          )
          .onConflict((conflict) => conflict.columns(["wallet", "provider"]).doNothing())
          .executeTakeFirst();
        if (inserted === 1n) return;
        await check();
      }
    },
    find,
    has: async (wallet, provider) => (await findSealed(readWallet(wallet), provider)) !== undefined,
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
    erased: (timeoutMs = 0) => erasure.done(timeoutMs),
    spendNonce,
    sessionEpoch: () => readSessionEpoch(db),
    endSessions: () => renewSessionEpoch(db),
    check,
    checkWriting: async () => void (await spendNonce(`check:${randomUUID()}`, readWallClock())),
    isEmpty: async () =>
      (await db.selectFrom("credentials").select("provider").limit(1).executeTakeFirst()) === undefined,
    connections: database.connections,
    async close() {
      clearInterval(forgetEveryHour);
      await forgetting;
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
