import type { Database } from "./database.ts";
import type { DatabaseLocation } from "./databaseUrl.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

/** Opens a database. An SQLite file is created if it does not exist. */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  return location.engine === "sqlite" ? openSqlite(location.path) : openPostgres(location.url);
}
