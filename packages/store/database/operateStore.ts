import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import type { Access, Database } from "./database.ts";
import { type DatabaseLocation, readDatabaseLocation } from "./databaseUrl.ts";
import { isNewest, listMigrations, type MigrationState, migrate } from "./migrations.ts";
import { openDatabase } from "./openDatabase.ts";
import { findIdentity, type StoreAccess, type StoreIdentity, settleIdentity } from "./properties.ts";
import { isUnwritable } from "./sqliteDialect.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** The open database of a store that has the right secrets and chain. */
export interface OpenStore {
  readonly database: Database;
  readonly identity: StoreIdentity;
}

/**
 * Opens a store to be used. Creates it, or migrates its schema, if necessary. Its secrets and its chain are checked
 * before anything is written.
 */
export async function openStore(expected: StoreAccess): Promise<OpenStore> {
  await checkBeforeWriting(expected);
  return await open(expected, "write", async (database) => {
    await migrate(database);
    return await settleIdentity(database.db, expected);
  });
}

/** Uses a store that is there already, and closes it. Changes no schema, and `"read"` changes nothing. */
export async function withExistingStore<T>(
  expected: StoreAccess,
  access: Access,
  use: (store: OpenStore) => Promise<T>,
): Promise<T> {
  requireStore(expected.databaseUrl);
  if (access === "exclusive") await checkBeforeWriting(expected);
  const store = await open(expected, access, async ({ db }) => {
    if (!(await isNewest(db))) {
      throw new InvalidInputError(
        "The credential store (IDENTITY_DATABASE_URL) is empty, or lacks migrations: start the service, or run identity-signer migrate.",
      );
    }
    const identity = await findIdentity(db, expected);
    if (identity !== undefined) return identity;
    throw new InvalidInputError(
      "The credential store (IDENTITY_DATABASE_URL) is migrated, but was never used: start the service first.",
    );
  });
  return await use(store).finally(store.database.close);
}

/** Opens the database of a store, unless the store is refused. */
const open = (
  { databaseUrl }: StoreAccess,
  access: Access,
  identify: (database: Database) => Promise<StoreIdentity>,
): Promise<OpenStore> =>
  describingOpening(databaseUrl, access, async (database) => {
    try {
      return { database, identity: await identify(database) };
    } catch (error) {
      await database.close();
      throw error;
    }
  });

/** Updates a store's schema. Creates the database if necessary, but gives it no identity. */
export async function migrateStore(expected: StoreAccess): Promise<void> {
  await checkBeforeWriting(expected);
  await withDatabase(expected.databaseUrl, "write", migrate);
}

/** Reads whether a store is the expected one, with no right to write to it. */
async function checkBeforeWriting(expected: StoreAccess): Promise<void> {
  const location = readDatabaseLocation(expected.databaseUrl);
  if (location.engine === "sqlite" && !existsSync(location.path)) return;
  await withDatabase(expected.databaseUrl, "read", async ({ db }) => {
    const tables = await db.introspection.getTables();
    if (tables.some(({ name }) => name === "properties")) await findIdentity(db, expected);
  });
}

/** Uses a database without a look at its secrets, and closes it. */
const withDatabase = <T>(
  databaseUrl: string,
  access: Access,
  use: (database: Database) => Promise<T>,
): Promise<T> => describingOpening(databaseUrl, access, (database) => use(database).finally(database.close));

async function describingOpening<T>(
  databaseUrl: string,
  access: Access,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const location = readDatabaseLocation(databaseUrl);
  try {
    return await use(await openDatabase(location, access));
  } catch (error) {
    throw describeOpening(location, error);
  }
}

/**
 * Lists the migrations that a store has and those that it lacks, in order. Changes and creates nothing.
 *
 * @throws InvalidInputError when the database cannot be opened.
 */
export async function readMigrations(databaseUrl: string): Promise<MigrationState[]> {
  requireStore(databaseUrl);
  return await withDatabase(databaseUrl, "read", ({ db }) => listMigrations(db));
}

/**
 * Copies an SQLite store, which services may be using, to a new file that only its owner can read.
 *
 * @throws InvalidInputError when the store does not exist or is in PostgreSQL, or the file exists.
 */
export async function backUpStore(databaseUrl: string, to: string): Promise<void> {
  requireStore(databaseUrl);
  await withDatabase(databaseUrl, "read", (database) => database.backup(to));
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

/** Describes why a database cannot be used, without the secrets of its URL. */
export function describeOpening(location: DatabaseLocation, error: unknown): InvalidInputError {
  if (error instanceof InvalidInputError) return error;
  const what =
    location.engine === "sqlite"
      ? `The database file ${location.path}`
      : "The PostgreSQL database that IDENTITY_DATABASE_URL names";
  const said = error instanceof Error ? error.message : "unknown";
  const reason = (location.engine === "sqlite" && describeUnwritable(location.path, error)) || `${said}.`;
  return new InvalidInputError(`${what} cannot be used: ${reason}`, { cause: error });
}

/** SQLite only says that it cannot open the file. */
function describeUnwritable(path: string, error: unknown): string | undefined {
  const code = systemErrorCode(error);
  if (!isUnwritable(error) && code !== "EROFS" && code !== "EACCES") return undefined;
  const unwritable = [dirname(path), path].find((place) => existsSync(place) && findRefusal(place));
  if (unwritable === undefined) return undefined;
  const [problem, remedy] =
    findRefusal(unwritable) === "EROFS"
      ? ["is on a file system that is mounted read-only", "Mount it writable."]
      : ["is not writable for this user", "Give it to the user that runs the service (chown)."];
  return `${unwritable} ${problem}, and SQLite writes to the file and to files beside it. ${remedy}`;
}

/** The code with which the system refuses to write to a file or folder. */
function findRefusal(place: string): string | undefined {
  try {
    accessSync(place, constants.W_OK);
    return undefined;
  } catch (error) {
    return systemErrorCode(error);
  }
}

/** Describes a failure of the store during a command, for people. Returns any other error as it is. */
export function describeStoreFailure(error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  return new InvalidInputError(
    `The credential store (IDENTITY_DATABASE_URL) fails: ${error.message}. Completed changes stay; try again.`,
    { cause: error },
  );
}
