import type { Access, Database } from "./database.ts";
import type { DatabaseLocation } from "./databaseUrl.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

/** Opens a database. To be written, an SQLite file is created if it does not exist. */
export async function openDatabase(location: DatabaseLocation, access: Access = "write"): Promise<Database> {
  return location.engine === "sqlite"
    ? openSqlite(location.path, access)
    : openPostgres(location.url, access);
}
