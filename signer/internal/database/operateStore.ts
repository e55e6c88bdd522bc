import { existsSync } from "node:fs";
import { sql } from "kysely";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Access, Database } from "./database.ts";
import { type DatabaseLocation, readDatabaseLocation } from "./databaseUrl.ts";
import { isNewest, listMigrations, type MigrationState, migrate } from "./migrations.ts";
import { openDatabase } from "./openDatabase.ts";
import { type Expected, findIdentity, type StoreIdentity, settleIdentity } from "./properties.ts";
import { tableNames } from "./schema.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** A store to open, and what it must be. */
export interface StoreAccess extends Expected {
  readonly databaseUrl: string;
}

/** The open database of a store that has the right secrets and chain. */
export interface OpenStore {
  readonly database: Database;
  readonly identity: StoreIdentity;
}

/**
 * Opens a store to be used. Creates it, or migrates its schema, if necessary. Its secrets and its chain are checked
 * before anything is written.
 *
 * @throws InvalidInputError when the store has other secrets or another chain, or cannot be opened.
 */
export function openStore(expected: StoreAccess): Promise<OpenStore> {
  return describingOpening(expected.databaseUrl, async (location) => {
    await checkBeforeWriting(location, expected);
    return await closingOnFailure(await openDatabase(location), async (database) => {
      await migrate(database);
      return { database, identity: await settleIdentity(database.db, expected) };
    });
  });
}

/**
 * Opens a store that is there already, for a command. It changes no schema, and `"read"` changes nothing.
 *
 * @throws InvalidInputError as {@link openStore} does, when there is no store, or when another process has it open
 * although it must be `"alone"`.
 */
export function openExistingStore(expected: StoreAccess, access: Access): Promise<OpenStore> {
  requireStore(expected.databaseUrl);
  return describingOpening(expected.databaseUrl, async (location) => {
    if (access === "alone") await checkBeforeWriting(location, expected);
    return await closingOnFailure(await openDatabase(location, access), async (database) => {
      const identity = (await isNewest(database.db)) ? await findIdentity(database.db, expected) : undefined;
      if (identity !== undefined) return { database, identity };
      throw new InvalidInputError(
        "The credential store (IDENTITY_DATABASE_URL) is empty, or lacks migrations: start the service, or run identity-signer migrate.",
      );
    });
  });
}

/** Updates a store's schema. Creates the database if necessary, but gives it no identity. */
export function migrateStore(expected: StoreAccess): Promise<void> {
  return describingOpening(expected.databaseUrl, async (location) => {
    await checkBeforeWriting(location, expected);
    const database = await openDatabase(location);
    await migrate(database).finally(() => database.close());
  });
}

/** Reads whether a store is the expected one, with no right to write to it. */
async function checkBeforeWriting(location: DatabaseLocation, expected: Expected): Promise<void> {
  if (location.engine === "sqlite" && !existsSync(location.path)) return;
  const { db, close } = await openDatabase(location, "read");
  try {
    const tables = await db.introspection.getTables();
    if (tables.some(({ name }) => name === "properties")) await findIdentity(db, expected);
  } finally {
    await close();
  }
}

async function closingOnFailure<T>(database: Database, use: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await use(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function describingOpening<T>(
  databaseUrl: string,
  open: (location: DatabaseLocation) => Promise<T>,
): Promise<T> {
  const location = readDatabaseLocation(databaseUrl);
  try {
    return await open(location);
  } catch (error) {
    throw describeOpening(location, error);
  }
}

/**
 * Lists the migrations that a store has and those that it lacks, in order. Changes and creates nothing.
 *
 * @throws InvalidInputError when the database cannot be opened.
 */
export function readMigrations(databaseUrl: string): Promise<MigrationState[]> {
  return withDatabase(databaseUrl, ({ db }) => listMigrations(db));
}

/**
 * Copies an SQLite store, which services may be using, to a new file that only its owner can read.
 *
 * @throws InvalidInputError when the store does not exist or is in PostgreSQL, or the file exists.
 */
export function backUpStore(databaseUrl: string, to: string): Promise<void> {
  return withDatabase(databaseUrl, (database) => database.backup(to));
}

/**
 * Refuses an SQLite store that does not exist, because opening it would create it.
 *
 * @throws InvalidInputError when the store does not exist.
 */
export function requireStore(databaseUrl: string): void {
  const location = readDatabaseLocation(databaseUrl);
  if (location.engine === "sqlite" && !existsSync(location.path)) {
    throw new InvalidInputError(`There is no credential store at ${location.path} (IDENTITY_DATABASE_URL).`);
  }
}

/** Reads a database without a look at its secrets. */
function withDatabase<T>(databaseUrl: string, use: (database: Database) => Promise<T>): Promise<T> {
  requireStore(databaseUrl);
  return describingOpening(databaseUrl, async (location) => {
    const database = await openDatabase(location, "read");
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  });
}

/**
 * Refuses a standby of PostgreSQL, which may lack what its primary has acknowledged.
 *
 * @throws InvalidInputError
 */
export async function refuseStandby({ engine, db }: Database): Promise<void> {
  if (engine === "sqlite") return;
  const { rows } = await sql<{ is: boolean }>`select pg_is_in_recovery() as "is"`.execute(db);
  if (rows[0]?.is !== false) {
    throw new InvalidInputError(
      "The database (IDENTITY_DATABASE_URL) is a standby, which may lack the newest entries of the audit trail: name the primary.",
    );
  }
}

/** Keeps everybody from changing the store until the transaction ends. An SQLite file is locked as a whole. */
export async function lockStore(db: Database["db"], { engine }: Pick<Database, "engine">): Promise<void> {
  if (engine === "sqlite") return;
  const tables = sql.join(tableNames.map((name) => sql.table(name)));
  await sql`lock table ${tables} in exclusive mode`.execute(db);
}

/** Describes why a database cannot be used, without the secrets of its URL. */
export function describeOpening(location: DatabaseLocation, error: unknown): InvalidInputError {
  if (error instanceof InvalidInputError) return error;
  const what =
    location.engine === "sqlite"
      ? `The database file ${location.path}`
      : "The PostgreSQL database that IDENTITY_DATABASE_URL names";
  const reason = error instanceof Error ? error.message : "unknown";
  return new InvalidInputError(`${what} cannot be used: ${reason}.`, { cause: error });
}

/** Describes a failure of the store during a command, for people. Returns any other error as it is. */
export function describeStoreFailure(error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  return new InvalidInputError(
    `The credential store (IDENTITY_DATABASE_URL) fails: ${error.message}. Completed changes stay; try again.`,
    { cause: error },
  );
}
