import { createHmac, randomBytes } from "node:crypto";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { parseHex } from "@hardhat-identity/protocol/hex";
import { deriveKey, keyId } from "@hardhat-identity/protocol/keys";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { Schema } from "./schema.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** A store to open, and the properties that it must have. */
export interface StoreAccess {
  /** `file:` and a path, relative to the working directory or absolute; or the URL of a PostgreSQL database of its own. */
  readonly databaseUrl: string;
  /** Derives pseudonyms, and encrypts credentials unless there is an encryption secret; 32 bytes hex. Never changes. */
  readonly masterSecret: string;
  /** Encrypts credentials in place of the master secret; 32 bytes hex. Only re-encryption changes it. */
  readonly encryptionSecret?: string | undefined;
  /** The chain of the wallets. If left out, any chain will do. A store is created only with one. */
  readonly chainId?: number | undefined;
  /** The registry's address, EIP-55 checksummed. If left out, any will do; a store created without one is any registry's. */
  readonly registry?: string | undefined;
}

/** Names a store. Everything that is sealed in it opens only there. */
export interface StoreIdentity {
  /** Random, 32 hex digits, made when the store is created. Stays when the store is moved to another database. */
  readonly id: string;
  /** The chain of the wallets: on another one, a contract wallet's address may belong to somebody else. */
  readonly chainId: number;
  /** The store's own record, as text. Re-encryption changes it. */
  readonly record: string;
}

const recorded = z.object({
  id: z.string(),
  chainId: z.number(),
  registry: z.string().optional(),
  /** The ids of the keys; see packages/protocol/keys.ts. */
  masterKeyId: z.string(),
  encryptionKeyId: z.string(),
});

type Recorded = z.infer<typeof recorded>;

/** Writes a store's record with an HMAC over it: the database alone is not enough to make one. */
function writeRecord(
  { id, chainId, registry, masterKeyId, encryptionKeyId }: Recorded,
  masterSecret: string,
): string {
  const values = { id, chainId, registry, masterKeyId, encryptionKeyId };
  const proof = createHmac("sha256", deriveKey(parseHex(masterSecret), "store-check"))
    .update(JSON.stringify(values))
    .digest("hex");
  return JSON.stringify({ ...values, proof });
}

function parseRecord(record: string): Recorded | undefined {
  try {
    return recorded.parse(JSON.parse(record));
  } catch {
    return undefined;
  }
}

const keyIds = ({ masterSecret, encryptionSecret = masterSecret }: StoreAccess) => ({
  masterKeyId: keyId(deriveKey(parseHex(masterSecret), "store-check")),
  encryptionKeyId: encryptionKeyId(encryptionSecret),
});

/** The id of the key that encrypts credentials with a secret. */
export const encryptionKeyId = (secret: string): string => keyId(deriveKey(parseHex(secret), "credential"));

/** The name of the row with the store's own record. One row, so that it is written as a whole. */
export const storeProperty = "store";
const sessionEpoch = "session-epoch";

/** Reads a property; `undefined` if the store does not have it. */
async function readProperty(db: Kysely<Schema>, name: string): Promise<string | undefined> {
  const row = await db.selectFrom("properties").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value;
}

/** Reads a store's own record; `undefined` if nothing was ever stored in it. */
async function readRecord(db: Kysely<Schema>): Promise<string | undefined> {
  const record = await readProperty(db, storeProperty);
  if (record !== undefined) return record;
  for (const table of ["credentials", "pins", "audit"] as const) {
    const row = await db.selectFrom(table).selectAll().limit(1).executeTakeFirst();
    if (row === undefined) continue;
    // Another process may have created the store, and used it, since it was asked.
    const made = await readProperty(db, storeProperty);
    if (made !== undefined) return made;
    throw new InvalidInputError(
      `The credential store (IDENTITY_DATABASE_URL) has rows in its table ${table}, and does not say which store it is: its property "${storeProperty}" was removed, or it is from before the first release. Restore a backup, or start with an empty database.`,
    );
  }
  return undefined;
}

/**
 * Finds a store's identity; `undefined` if nothing was ever stored in it.
 *
 * @throws InvalidInputError for other secrets, another chain or registry, or an altered record.
 */
export async function findIdentity(
  db: Kysely<Schema>,
  expected: StoreAccess,
): Promise<StoreIdentity | undefined> {
  const record = await readRecord(db);
  if (record === undefined) return undefined;
  const found = parseRecord(record);
  const { masterKeyId, encryptionKeyId } = keyIds(expected);
  if (found !== undefined && found.masterKeyId !== masterKeyId) {
    throw new InvalidInputError(
      `The master secret (IDENTITY_MASTER_SECRET) is not the one that this credential store was created with: its key id is ${masterKeyId}, and the store's is ${found.masterKeyId}. Set that one. A new service needs its own store (IDENTITY_DATABASE_URL).`,
    );
  }
  if (found === undefined || writeRecord(found, expected.masterSecret) !== record) {
    throw new InvalidInputError(
      `The credential store (IDENTITY_DATABASE_URL) does not say which store it is: its property "${storeProperty}" was altered, or it is from before the first release. Restore a backup, or start with an empty database.`,
    );
  }
  if (found.encryptionKeyId !== encryptionKeyId) {
    const got =
      expected.encryptionSecret === undefined
        ? `IDENTITY_ENCRYPTION_SECRET is not set, and the master secret's key id is ${encryptionKeyId}`
        : `the key id of IDENTITY_ENCRYPTION_SECRET is ${encryptionKeyId}`;
    throw new InvalidInputError(
      `The credential store is encrypted with a secret whose key id is ${found.encryptionKeyId}; ${got}. Set the store's secret. Only identity-signer re-encrypt changes it.`,
    );
  }
  if (expected.chainId !== undefined && found.chainId !== expected.chainId) {
    throw new InvalidInputError(
      `This credential store is for chain ${found.chainId}, and IDENTITY_CHAIN_ID is ${expected.chainId}. Each chain needs its own store (IDENTITY_DATABASE_URL).`,
    );
  }
  const { registry = expected.registry } = found;
  if (expected.registry !== undefined && registry !== expected.registry) {
    throw new InvalidInputError(
      `This credential store is for the registry ${registry}, and IDENTITY_REGISTRY is ${expected.registry}. Each registry needs its own store (IDENTITY_DATABASE_URL) and master secret.`,
    );
  }
  return { id: found.id, chainId: found.chainId, record };
}

/** Finds a store's identity, or gives it one, for which the chain must be known. */
export async function settleIdentity(db: Kysely<Schema>, expected: StoreAccess): Promise<StoreIdentity> {
  const found = await findIdentity(db, expected);
  if (found !== undefined) return found;
  const { chainId } = expected;
  if (chainId === undefined) {
    throw new InvalidInputError(
      "The credential store is new, and its chain is not known: start the service first, or set IDENTITY_CHAIN_ID.",
    );
  }
  const made: Recorded = {
    id: randomBytes(16).toString("hex"),
    chainId,
    registry: expected.registry,
    ...keyIds(expected),
  };
  await db
    .insertInto("properties")
    .values({ name: storeProperty, value: writeRecord(made, expected.masterSecret) })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  // Another replica may have been faster.
  return await settleIdentity(db, expected);
}

/**
 * Fails if the store has become another one while it was open: somebody re-encrypted or replaced it, although a service
 * was running.
 */
export async function requireSameStore(db: Kysely<Schema>, { record }: StoreIdentity): Promise<void> {
  if ((await readProperty(db, storeProperty)) === record) return;
  throw new StoreUnavailableError(
    "it was re-encrypted or replaced while this process had it open; restart the process with the store's secrets",
    "STORE",
  );
}

/** Records that all credentials are encrypted with another secret. */
export async function recordEncryptionSecret(
  db: Kysely<Schema>,
  { record }: StoreIdentity,
  { masterSecret }: Pick<StoreAccess, "masterSecret">,
  secret: string,
): Promise<void> {
  const former = recorded.parse(JSON.parse(record));
  const value = writeRecord({ ...former, encryptionKeyId: encryptionKeyId(secret) }, masterSecret);
  await db.updateTable("properties").set({ value }).where("name", "=", storeProperty).execute();
}

/** Reads the current epoch of the verify page's sessions; "" before any were ended. */
export const readSessionEpoch = async (db: Kysely<Schema>): Promise<string> =>
  (await readProperty(db, sessionEpoch)) ?? "";

/** Begins a new epoch. It is random and not a counter: restoring a backup must not revive ended sessions. */
export async function renewSessionEpoch(db: Kysely<Schema>): Promise<void> {
  const value = randomBytes(16).toString("hex");
  await db
    .insertInto("properties")
    .values({ name: sessionEpoch, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

const allowedName = (registry: string, signer: string) =>
  `allowed-signer ${registry} ${signer}`.toLowerCase();

/** Records that a registry's allowlist has, or had, a signer of this service. */
export async function recordAllowed(db: Kysely<Schema>, registry: string, signer: string): Promise<void> {
  await db
    .insertInto("properties")
    .values({ name: allowedName(registry, signer), value: "" })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
}

/** Whether {@link recordAllowed} was ever called for a signer. */
export const readAllowed = async (db: Kysely<Schema>, registry: string, signer: string): Promise<boolean> =>
  (await readProperty(db, allowedName(registry, signer))) !== undefined;
