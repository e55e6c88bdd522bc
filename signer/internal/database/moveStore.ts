import { isDeepStrictEqual } from "node:util";
import { type Kysely, sql } from "kysely";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { readDatabaseLocation } from "./databaseUrl.ts";
import { migrateWithin } from "./migrations.ts";
import { openDatabase } from "./openDatabase.ts";
import { describeOpening, lockStore, openExistingStore, type StoreAccess } from "./operateStore.ts";
import { pageSize, pagesOf } from "./paging.ts";
import { primaryKeys, type Schema, tableNames } from "./schema.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

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
  const location = readDatabaseLocation(to);
  if (isDeepStrictEqual(location, readDatabaseLocation(from.databaseUrl))) {
    throw new InvalidInputError("Both databases are the same one; move the store to another.");
  }
  const source = (await openExistingStore(from, "alone")).database;
  try {
    const target = await openDatabase(location).catch((error) => {
      throw describeOpening(location, error);
    });
    try {
      return await source.transact(async (reading) => {
        await lockStore(reading, source);
        return await target.transact(async (writing) => {
          await requireEmpty(writing);
          await migrateWithin(writing, target);
          await lockStore(writing, target);
          await requireEmpty(writing);
          return await copy(reading, writing, progress);
        });
      });
    } finally {
      await target.close();
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new InvalidInputError(`One of the two databases fails: ${error.message}. Nothing was moved.`, {
      cause: error,
    });
  } finally {
    await source.close();
  }
}

async function requireEmpty(db: Kysely<Schema>): Promise<void> {
  const found = (await db.introspection.getTables()).map(({ name }) => name);
  for (const table of tableNames.filter((name) => found.includes(name))) {
    const rows = await countRows(db, table);
    if (rows === 0) continue;
    throw new InvalidInputError(
      `The database to move to is not empty: its table ${table} has ${rows} ${rows === 1 ? "row" : "rows"}. Nothing was moved; give an empty database.`,
    );
  }
}

async function countRows(db: Kysely<Schema>, table: keyof Schema): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as "rows" from ${sql.table(table)}`.execute(
    db,
  );
  return Number(rows[0]?.rows);
}

async function copy(
  reading: Kysely<Schema>,
  writing: Kysely<Schema>,
  progress: (rows: number) => void,
): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  let copied = 0;
  for (const table of tableNames) {
    for await (const rows of pagesOf<Row>(pageByKey(reading, table))) {
      const [first = {}] = rows;
      const columns = Object.keys(first);
      for (const row of rows) requirePortable(table, row);
      const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
      await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(values)}`.execute(
        writing,
      );
      copied += rows.length;
      progress(copied);
    }
    const [there, here] = [await countRows(reading, table), await countRows(writing, table)];
    if (there !== here) {
      throw new InvalidInputError(
        `The table ${table} has ${there} rows, and ${here} of them arrived. Nothing was moved.`,
      );
    }
    counts[table] = here;
  }
  return counts as RowCounts;
}

type Row = Readonly<Record<string, unknown>>;

/** @throws InvalidInputError when a row has bytes or a NUL, which SQLite takes in any column, and PostgreSQL does not. */
function requirePortable(table: keyof Schema, row: Row): void {
  for (const [column, value] of Object.entries(row)) {
    const isPortable =
      typeof value === "string" ? !value.includes("\0") : /^(number|bigint)$/.test(typeof value);
    if (isPortable) continue;
    const shown = JSON.stringify(row[primaryKeys[table][0]] ?? null).slice(0, 80);
    throw new InvalidInputError(
      `The table ${table} has a row of ${shown} whose ${column} no service has written. Nothing was moved; delete the row first.`,
    );
  }
}

/** Reads a page of a table in the order of its key. */
function pageByKey(db: Kysely<Schema>, table: keyof Schema) {
  const key = primaryKeys[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  return async ({ after }: { after?: Row }): Promise<Row[]> => {
    const behind =
      after === undefined ? sql`` : sql`where (${columns}) > (${sql.join(key.map((name) => after[name]))})`;
    const page = sql<Row>`select * from ${sql.table(table)} ${behind} order by ${columns} limit ${pageSize}`;
    return (await page.execute(db)).rows;
  };
}
