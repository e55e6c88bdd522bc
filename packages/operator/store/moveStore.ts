import { isDeepStrictEqual } from "node:util";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { readDatabaseLocation } from "@hardhat-identity/store/database/databaseUrl";
import { migrateWithin } from "@hardhat-identity/store/database/migrations";
import { openDatabase } from "@hardhat-identity/store/database/openDatabase";
import { describeOpening, withExistingStore } from "@hardhat-identity/store/database/operateStore";
import { pageByKey, pagesOf } from "@hardhat-identity/store/database/paging";
import type { StoreAccess } from "@hardhat-identity/store/database/properties";
import { type Schema, tableNames } from "@hardhat-identity/store/database/schema";
import { StoreUnavailableError } from "@hardhat-identity/store/database/storeUnavailable";
import { type Kysely, sql } from "kysely";
import { lockStore } from "./lockStore.ts";

/** The number of rows in each table. */
export type RowCounts = Readonly<Record<keyof Schema, number>>;

/**
 * Copies a store to another database, its rows as they are, in one transaction there: it is done as a whole or not at
 * all. The source stays as it is.
 *
 * @param from The store, with its secrets. No other process may have it open.
 * @param to The URL of an empty database.
 * @param progress Called with the number of rows copied so far.
 * @throws InvalidInputError when the target is not empty.
 */
export async function moveStore(
  from: StoreAccess,
  to: string,
  progress: (rows: number) => void = () => undefined,
): Promise<RowCounts> {
  const location = readDatabaseLocation(to, "The database to move to");
  if (isDeepStrictEqual(location, readDatabaseLocation(from.databaseUrl, "The database to move from"))) {
    throw new InvalidInputError("The two databases are the same; move the store to another one.");
  }
  return await withExistingStore(from, "exclusive", async ({ database: source }) => {
    const target = await openDatabase(location).catch((error) => {
      throw describeOpening(location, error);
    });
    // The target first: where it is the source under another URL, its rows are noticed before it waits for its own lock.
    const moving = target.transact(async (writing) => {
      await migrateWithin(writing, target);
      await lockStore(writing, target);
      await requireEmpty(writing);
      return await source.transact(async (reading) => {
        await lockStore(reading, source);
        return await copy(reading, writing, progress);
      });
    });
    return await moving.finally(target.close);
  }).catch((error) => {
    if (!(error instanceof StoreUnavailableError)) throw error;
    // The answer to the commit may be lost.
    throw new InvalidInputError(
      `One of the two databases fails: ${error.message}. The store stays where it is; before you try again, make sure that the other database is empty.`,
      { cause: error },
    );
  });
}

async function requireEmpty(db: Kysely<Schema>): Promise<void> {
  for (const table of tableNames) {
    if ((await pageByKey(db, table)({})).length === 0) continue;
    throw new InvalidInputError(
      `The database to move to is not empty: its table ${table} has rows. Nothing was moved; give an empty database.`,
    );
  }
}

async function copy(
  reading: Kysely<Schema>,
  writing: Kysely<Schema>,
  progress: (rows: number) => void,
): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  let copied = 0;
  for (const table of tableNames) {
    counts[table] = 0;
    for await (const rows of pagesOf(pageByKey(reading, table))) {
      const columns = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
      const values = sql.join(rows.map((row) => sql`(${sql.join(Object.values(row))})`));
      await sql`insert into ${sql.table(table)} (${columns}) values ${values}`.execute(writing);
      counts[table] += rows.length;
      copied += rows.length;
      progress(copied);
    }
  }
  return counts as RowCounts;
}
