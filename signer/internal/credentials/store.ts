import { timingSafeEqual } from "node:crypto";
import { getBytes, hexlify } from "ethers";
import { Kysely, sql } from "kysely";
import { readWallClock } from "../../../chain/clock.ts";
import { parseAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { pseudonym } from "../../../protocol/identityHash.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import { readTraits, type TraitInput, type Traits } from "../../../protocol/traits.ts";
import { sqlitePath } from "./databaseUrl.ts";
import { migrateSqlite, type Schema } from "./migrations.ts";
import { sqliteDialect } from "./sqlite.ts";
import { decryptTraits, encryptTraits } from "./traitCipher.ts";

/** What an operator or a provider says of a wallet. */
export interface NewCredential {
  /** 20 bytes hex. */
  readonly wallet: string;
  readonly provider: string;
  /** The provider's own stable id, never a handle. Only its keyed hash is stored. */
  readonly accountId: string;
  /** Trait name → value: text, or a number or boolean as such. */
  readonly traits: Readonly<Record<string, TraitInput>>;
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

/** The credentials: one for each wallet and provider. */
export interface CredentialStore {
  /** Stores a credential in place of the one that the wallet has at this provider. */
  set(credential: NewCredential): Promise<void>;
  find(wallet: string, provider: string): Promise<Credential | undefined>;
  /** Whether the wallet has a credential of another account at this provider: one that {@link set} would replace. */
  hasOtherAccount(wallet: string, provider: string, accountId: string): Promise<boolean>;
  /** All credentials, or those of one wallet, ordered by wallet and provider. */
  list(filter?: { wallet?: string }): Promise<ListedCredential[]>;
  /** Erases a credential, from the database's log too. Answers whether there was one. */
  delete(wallet: string, provider: string): Promise<boolean>;
  /**
   * Uses a nonce up, for every replica. Answers whether it was unused.
   *
   * @param expiresAt Unix seconds after which whatever carries the nonce is refused anyway.
   */
  spendNonce(nonce: string, expiresAt: number): Promise<boolean>;
  /** Fails when the database does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store, and creates it or brings its schema up to date where needed. Several processes may have it open.
 *
 * @param options.databaseUrl `file:` and a path, relative to the working directory or absolute.
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
  const path = sqlitePath(options.databaseUrl);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(path) });
  try {
    await migrateSqlite(db);
    await checkMasterSecret(db, masterSecret);
    if (options.chainId !== undefined) await checkChain(db, options.chainId);
  } catch (error) {
    await db.destroy();
    if (error instanceof InvalidInputError) throw error;
    const reason = error instanceof Error ? error.message : "unknown";
    throw new InvalidInputError(`The database file ${path} cannot be used: ${reason}.`, { cause: error });
  }
  return createStore(db, masterSecret);
}

function createStore(db: Kysely<Schema>, masterSecret: Uint8Array): CredentialStore {
  const accountKey = deriveKey(masterSecret, "account");
  const traitsKey = deriveKey(masterSecret, "traits");

  function read(row: Schema["credentials"]): ListedCredential {
    const { wallet, provider, pseudonym } = row;
    const bound = { wallet, provider, pseudonym, authenticatedAt: Number(row.authenticated_at) };
    return { ...bound, traits: decryptTraits(traitsKey, bound, row.traits) };
  }

  return {
    async set(credential) {
      const traits = readCredentialTraits(credential);
      const { provider, accountId, authenticatedAt } = credential;
      const row = {
        wallet: readWallet(credential.wallet),
        provider,
        pseudonym: pseudonym({ accountKey, provider, accountId }),
        authenticatedAt,
      };
      const values = {
        pseudonym: row.pseudonym,
        traits: encryptTraits(traitsKey, row, traits),
        authenticated_at: authenticatedAt,
      };
      await db
        .insertInto("credentials")
        .values({ wallet: row.wallet, provider, ...values })
        .onConflict((conflict) => conflict.columns(["wallet", "provider"]).doUpdateSet(values))
        .execute();
    },
    async find(wallet, provider) {
      const row = await db
        .selectFrom("credentials")
        .selectAll()
        .where("wallet", "=", readWallet(wallet))
        .where("provider", "=", provider)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { pseudonym, traits, authenticatedAt } = read(row);
      return { pseudonym, traits, authenticatedAt };
    },
    async hasOtherAccount(wallet, provider, accountId) {
      const other = await db
        .selectFrom("credentials")
        .select("pseudonym")
        .where("wallet", "=", readWallet(wallet))
        .where("provider", "=", provider)
        .where("pseudonym", "!=", pseudonym({ accountKey, provider, accountId }))
        .executeTakeFirst();
      return other !== undefined;
    },
    async list({ wallet } = {}) {
      const all = db.selectFrom("credentials").selectAll().orderBy("wallet").orderBy("provider");
      const rows = await (wallet === undefined
        ? all
        : all.where("wallet", "=", readWallet(wallet))
      ).execute();
      return rows.map(read);
    },
    async delete(wallet, provider) {
      const { numDeletedRows } = await db
        .deleteFrom("credentials")
        .where("wallet", "=", readWallet(wallet))
        .where("provider", "=", provider)
        .executeTakeFirst();
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
      return numDeletedRows > 0n;
    },
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
    async check() {
      await db.selectFrom("settings").select("name").limit(1).execute();
    },
    close: () => db.destroy(),
  };
}

/** The same accounts must give the same pseudonyms for as long as a store lives. */
async function checkMasterSecret(db: Kysely<Schema>, masterSecret: Uint8Array): Promise<void> {
  const mine = hexlify(deriveKey(masterSecret, "store-check"));
  const value = await settleOnce(db, "master-secret-check", mine);
  if (value.length !== mine.length || !timingSafeEqual(Buffer.from(value), Buffer.from(mine))) {
    throw new InvalidInputError(
      "The master secret (IDENTITY_MASTER_SECRET) is not the one that this credential store was created with.",
    );
  }
}

async function checkChain(db: Kysely<Schema>, chainId: number): Promise<void> {
  const own = await settleOnce(db, "chain", String(chainId));
  if (own !== String(chainId)) {
    throw new InvalidInputError(
      `This credential store is for chain ${own}, and the service (IDENTITY_CHAIN_ID) for chain ${chainId}; give it a store of its own (IDENTITY_DATABASE_URL).`,
    );
  }
}

/** Writes a setting where the store has none of that name, and answers what it has. */
async function settleOnce(db: Kysely<Schema>, name: string, mine: string): Promise<string> {
  await db
    .insertInto("settings")
    .values({ name, value: mine })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  const { value } = await db
    .selectFrom("settings")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return value;
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
