import { randomBytes, timingSafeEqual } from "node:crypto";
import { hexlify } from "ethers";
import type { Kysely } from "kysely";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import type { Schema } from "./schema.ts";

/**
 * Checks that the master secret is the store's: an account must keep its pseudonym for as long as the store exists.
 *
 * @throws InvalidInputError when the store was created with another secret.
 */
export async function checkMasterSecret(db: Kysely<Schema>, masterSecret: Uint8Array): Promise<void> {
  const mine = hexlify(deriveKey(masterSecret, "store-check"));
  const value = await settleOnce(db, "master-secret-check", mine);
  if (value.length !== mine.length || !timingSafeEqual(Buffer.from(value), Buffer.from(mine))) {
    throw new InvalidInputError(
      "The master secret (IDENTITY_MASTER_SECRET) is not the one that this credential store was created with; set that one. A new service needs its own store (IDENTITY_DATABASE_URL).",
    );
  }
}

/**
 * Checks that the store is for this chain: a contract wallet's credential is valid only where its signature was
 * checked.
 *
 * @throws InvalidInputError when the store is for another chain.
 */
export async function checkChain(db: Kysely<Schema>, chainId: number): Promise<void> {
  const own = await settleOnce(db, "chain", String(chainId));
  if (own !== String(chainId)) {
    throw new InvalidInputError(
      `This credential store is for chain ${own}, and the service (IDENTITY_CHAIN_ID) is for chain ${chainId}; give the service its own store (IDENTITY_DATABASE_URL).`,
    );
  }
}

/** Finds the chain that a store is for; `undefined` if no service has opened it yet. */
export async function findChain(db: Kysely<Schema>): Promise<number | undefined> {
  const row = await db
    .selectFrom("properties")
    .select("value")
    .where("name", "=", "chain")
    .executeTakeFirst();
  return row && Number(row.value);
}

const encryptionKey = "encryption-key-";

/** The ids of the keys that decrypt rows, and of the one that encrypts them. */
interface EncryptionKeys {
  readonly keyIds: readonly string[];
  readonly keyId: string;
}

/**
 * Checks that no key is missing of those that may have encrypted rows, and records the current one.
 *
 * @throws InvalidInputError when a key is missing.
 */
export async function checkEncryptionKeys(db: Kysely<Schema>, seal: EncryptionKeys): Promise<void> {
  const rows = await db
    .selectFrom("properties")
    .select("name")
    .where("name", "like", `${encryptionKey}%`)
    .execute();
  const missing = rows
    .map(({ name }) => name.slice(encryptionKey.length))
    .filter((id) => !seal.keyIds.includes(id));
  if (missing.length > 0) {
    throw new InvalidInputError(
      `The credential store has rows encrypted with a secret whose key id is ${missing.join(", ")}. It is neither IDENTITY_ENCRYPTION_SECRET nor IDENTITY_OTHER_ENCRYPTION_SECRET (key ids of this environment: ${seal.keyIds.join(", ")}). Set it; after identity-signer re-encrypt it is no longer needed.`,
    );
  }
  await settleOnce(db, `${encryptionKey}${seal.keyId}`, seal.keyId);
}

/** Records that all rows are encrypted with the current key. */
export async function forgetFormerKeys(
  db: Kysely<Schema>,
  { keyId }: Pick<EncryptionKeys, "keyId">,
): Promise<void> {
  await db
    .deleteFrom("properties")
    .where("name", "like", `${encryptionKey}%`)
    .where("name", "!=", `${encryptionKey}${keyId}`)
    .execute();
}

/** Writes a property, unless the store has it, and returns the stored value. */
async function settleOnce(db: Kysely<Schema>, name: string, mine: string): Promise<string> {
  await db
    .insertInto("properties")
    .values({ name, value: mine })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  const { value } = await db
    .selectFrom("properties")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return value;
}

const sessionEpoch = "session-epoch";

/** Reads the current epoch of the verify page's sessions; "" before any were ended. */
export async function readSessionEpoch(db: Kysely<Schema>): Promise<string> {
  const row = await db
    .selectFrom("properties")
    .select("value")
    .where("name", "=", sessionEpoch)
    .executeTakeFirst();
  return row?.value ?? "";
}

/** Begins a new epoch. It is random and not a counter: restoring a backup must not revive ended sessions. */
export async function renewSessionEpoch(db: Kysely<Schema>): Promise<void> {
  const value = randomBytes(16).toString("hex");
  await db
    .insertInto("properties")
    .values({ name: sessionEpoch, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}
