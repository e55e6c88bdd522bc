import { getBytes } from "ethers";
import { readWallClock } from "../../../chain/clock.ts";
import { parseAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { pseudonym } from "../../../protocol/identityHash.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import { readTraits, type Traits, type TraitValues } from "../../../protocol/traits.ts";
import type { Database, StoreConnections } from "./database.ts";
import { readDatabaseLocation } from "./databaseUrl.ts";
import { createErasure } from "./erasure.ts";
import { createLimitCounts, type LimitCounts } from "./limitCounts.ts";
import { credentialSeal, migrate } from "./migrations.ts";
import { openDatabase } from "./openDatabase.ts";
import { describeOpening } from "./operateStore.ts";
import { persistStore } from "./persistStore.ts";
import { createPinStore, type PinStore } from "./pins.ts";
import type { Schema } from "./schema.ts";
import { checkChain, checkMasterSecret } from "./settings.ts";

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

/** A credential with what it belongs to. */
export interface ListedCredential extends Credential {
  /** EIP-55 checksummed. */
  readonly wallet: string;
  readonly provider: string;
}

/** The credentials: one for each wallet and provider; the pins of policies; and what limits count. */
export interface CredentialStore extends PinStore, LimitCounts {
  /** Stores a credential in place of the one that the wallet has at this provider, which is erased as by `delete`. */
  set(credential: NewCredential): Promise<void>;
  find(wallet: string, provider: string): Promise<Credential | undefined>;
  /** Whether the wallet has a credential of another account at this provider: one that {@link set} would replace. */
  hasOtherAccount(wallet: string, provider: string, accountId: string): Promise<boolean>;
  /** All credentials, or those of one wallet, ordered by wallet and provider. */
  list(filter?: { wallet?: string }): Promise<ListedCredential[]>;
  /**
   * Erases a credential. Answers whether there was one. It leaves the database's log, too: at once, or when the reader
   * or writer ends that is in the way; see {@link erased}.
   */
  delete(wallet: string, provider: string): Promise<boolean>;
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
  /** Fails when the database does not answer. */
  check(): Promise<void>;
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
 * @param options.chainId The chain whose wallets it is for, from a service: the first one that opens a store makes it its
 * own. A contract wallet's address may be somebody else's on another chain.
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
export async function openCredentialStore(options: {
  databaseUrl: string;
  masterSecret: string;
  chainId?: number;
}): Promise<CredentialStore> {
  const masterSecret = getBytes(options.masterSecret);
  const location = readDatabaseLocation(options.databaseUrl);
  let database: Database | undefined;
  try {
    database = await openDatabase(location);
    await migrate(database, masterSecret);
    await checkMasterSecret(database.db, masterSecret);
    if (options.chainId !== undefined) await checkChain(database.db, options.chainId);
  } catch (error) {
    await database?.close();
    throw describeOpening(location, error);
  }
  const store = await createStore(database, masterSecret);
  return persistStore(store, ["close", "countRequests", "delete", "resetPins", "spendNonce"]);
}

async function createStore(database: Database, masterSecret: Uint8Array): Promise<CredentialStore> {
  const { db } = database;
  const accountKey = deriveKey(masterSecret, "account");
  const seal = credentialSeal(masterSecret);
  const open = ({ wallet, provider, sealed }: Schema["credentials"]) =>
    seal.open([wallet, provider], sealed) as Credential;

  const limitCounts = createLimitCounts(database);
  const erasure = createErasure(database.emptyLog);
  // A process that ended may have left something.
  await erasure.request();

  async function findExactly(wallet: string, provider: string): Promise<Credential | undefined> {
    const sealed = await database.findSealed(wallet, provider);
    return sealed === undefined ? undefined : open({ wallet, provider, sealed });
  }

  async function find(wallet: string, provider: string): Promise<Credential | undefined> {
    // Rows have checksums: who is found as it was given has the right one, and computing it takes longer than all else.
    return (await findExactly(wallet, provider)) ?? (await findExactly(readWallet(wallet), provider));
  }

  return {
    ...createPinStore(db),
    async set(credential) {
      const traits = readCredentialTraits(credential);
      const { provider, accountId, authenticatedAt } = credential;
      const wallet = readWallet(credential.wallet);
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
    async hasOtherAccount(wallet, provider, accountId) {
      const known = await find(wallet, provider);
      return known !== undefined && known.pseudonym !== pseudonym({ accountKey, provider, accountId });
    },
    async list({ wallet } = {}) {
      const all = db.selectFrom("credentials").selectAll().orderBy("wallet").orderBy("provider");
      const rows = await (wallet === undefined
        ? all
        : all.where("wallet", "=", readWallet(wallet))
      ).execute();
      return rows.map((row) => ({ wallet: row.wallet, provider: row.provider, ...open(row) }));
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
    async spendNonce(nonce, expiresAt) {
      const now = readWallClock();
      await db.deleteFrom("spent_nonces").where("expires_at", "<", now).execute();
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("spent_nonces")
        .values({ nonce, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column("nonce").doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    countRequests: limitCounts.countRequests,
    check: database.check,
    connections: database.connections,
    async close() {
      limitCounts.stop();
      await erasure.stop();
      await database.close();
    },
  };
}

/** The traits, of a credential that can be used. */
function readCredentialTraits({ provider, accountId, traits, authenticatedAt }: NewCredential): Traits {
  const read = readTraits(provider, traits);
  if (accountId === "" || /\p{Surrogate}/u.test(accountId)) {
    throw new InvalidInputError("The account id must be a text of at least one character.");
  }
  if (!Number.isSafeInteger(authenticatedAt) || authenticatedAt < 0) {
    throw new InvalidInputError(
      `The time of authentication must be whole unix seconds, got ${authenticatedAt}.`,
    );
  }
  return read;
}

const readWallet = (wallet: string) => parseAddress("The wallet", wallet);
