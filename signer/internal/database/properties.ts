import { randomBytes, timingSafeEqual } from "node:crypto";
import { hexlify } from "ethers";
import type { Kysely } from "kysely";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import type { Schema } from "./schema.ts";

/**
 * The same accounts must give the same pseudonyms for as long as a store lives.
 *
 * @throws InvalidInputError when the store was made with another secret.
 */
export async function checkMasterSecret(db: Kysely<Schema>, masterSecret: Uint8Array): Promise<void> {
  const mine = hexlify(deriveKey(masterSecret, "store-check"));
  const value = await settleOnce(db, "master-secret-check", mine);
  if (value.length !== mine.length || !timingSafeEqual(Buffer.from(value), Buffer.from(mine))) {
    throw new InvalidInputError(
      "The master secret (IDENTITY_MASTER_SECRET) is not the one that this credential store was created with; set that one. A service that begins anew needs a store of its own (IDENTITY_DATABASE_URL).",
    );
  }
}

/**
 * A contract wallet's credential holds where its signature was checked: a store is for one chain.
 *
 * @throws InvalidInputError
 */
export async function checkChain(db: Kysely<Schema>, chainId: number): Promise<void> {
  const own = await settleOnce(db, "chain", String(chainId));
  if (own !== String(chainId)) {
    throw new InvalidInputError(
      `This credential store is for chain ${own}, and the service (IDENTITY_CHAIN_ID) for chain ${chainId}; give it a store of its own (IDENTITY_DATABASE_URL).`,
    );
  }
}

/** The chain that a store is for; undefined where no service has opened it yet. */
export async function findChain(db: Kysely<Schema>): Promise<number | undefined> {
  const row = await db
    .selectFrom("properties")
    .select("value")
    .where("name", "=", "chain")
    .executeTakeFirst();
  return row && Number(row.value);
}

const encryptionKey = "encryption-key-";

/** Ids of the keys that rows can be read with, and of the one that they are encrypted with. */
interface EncryptionKeys {
  readonly keyIds: readonly string[];
  readonly keyId: string;
}

/**
 * A store has rows of the secrets by which it was opened: who lacks one of them could not read these.
 *
 * @throws InvalidInputError
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
      `The credential store has rows encrypted with a secret whose key id is ${missing.join(", ")}, and which is neither IDENTITY_ENCRYPTION_SECRET nor IDENTITY_OTHER_ENCRYPTION_SECRET (key ids of this environment: ${seal.keyIds.join(", ")}). Set it; identity-signer re-encrypt makes it superfluous.`,
    );
  }
  await settleOnce(db, `${encryptionKey}${seal.keyId}`, seal.keyId);
}

/** Notes that no row is encrypted any more with another key than the one that rows are encrypted with now. */
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

/** Writes a setting where the store has none of that name, and answers what it has. */
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

/** What sessions of the verify page belong to; "" before any were ended. */
export async function readSessionEpoch(db: Kysely<Schema>): Promise<string> {
  const row = await db
    .selectFrom("properties")
    .select("value")
    .where("name", "=", sessionEpoch)
    .executeTakeFirst();
  return row?.value ?? "";
}

/** Random, not counted: a backup that is restored must not make former sessions good again. */
export async function renewSessionEpoch(db: Kysely<Schema>): Promise<void> {
  const value = randomBytes(16).toString("hex");
  await db
    .insertInto("properties")
    .values({ name: sessionEpoch, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}
