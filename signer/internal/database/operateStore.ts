import { existsSync } from "node:fs";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Database } from "./database.ts";
import { type DatabaseLocation, readDatabaseLocation } from "./databaseUrl.ts";
import { listMigrations, type MigrationState } from "./migrations.ts";
import { openDatabase } from "./openDatabase.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

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
export function demandStore(databaseUrl: string): void {
  const location = readDatabaseLocation(databaseUrl);
  if (location.engine === "sqlite" && !existsSync(location.path)) {
    throw new InvalidInputError(`There is no credential store at ${location.path} (IDENTITY_DATABASE_URL).`);
  }
}

/** Opens a database without migrating it, and closes it after use. */
export async function withDatabase<T>(
  databaseUrl: string,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  demandStore(databaseUrl);
  const location = readDatabaseLocation(databaseUrl);
  let database: Database | undefined;
  try {
    database = await openDatabase(location);
    return await use(database);
  } catch (error) {
    throw describeOpening(location, error);
  } finally {
    await database?.close();
  }
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
