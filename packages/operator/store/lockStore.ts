import type { Database } from "@hardhat-identity/store/database/database";
import { tableNames } from "@hardhat-identity/store/database/schema";
import { sql } from "kysely";

/** Keeps everybody from changing the store until the transaction ends. An SQLite file is locked as a whole. */
export async function lockStore(db: Database["db"], { engine }: Pick<Database, "engine">): Promise<void> {
  if (engine === "sqlite") return;
  const tables = sql.join(tableNames.map((name) => sql.table(name)));
  await sql`lock table ${tables} in exclusive mode`.execute(db);
}
