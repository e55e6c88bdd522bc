import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";

/** The migrations, which run in order of their names. A released one never changes. */
const migrationsWith = (keyText: Database["keyText"]): Record<string, Migration> => ({
  "001-store": {
    async up(db) {
      await db.schema
        .createTable("credentials")
        .addColumn("wallet", keyText, (column) => column.notNull())
        .addColumn("provider", keyText, (column) => column.notNull())
        .addColumn("sealed", "text", (column) => column.notNull())
        .addPrimaryKeyConstraint("credentials_pk", ["wallet", "provider"])
        .execute();
      await db.schema
        .createTable("properties")
        .addColumn("name", keyText, (column) => column.primaryKey())
        .addColumn("value", "text", (column) => column.notNull())
        .execute();
      await db.schema
        .createTable("spent_nonces")
        .addColumn("nonce", keyText, (column) => column.primaryKey())
        .addColumn("expires_at", "bigint", (column) => column.notNull())
        .execute();
      await db.schema
        .createTable("pins")
        .addColumn("chain_id", "bigint", (column) => column.notNull())
        .addColumn("consumer", keyText, (column) => column.notNull())
        .addColumn("policy_hash", "text", (column) => column.notNull())
        .addColumn("cutoff_block", "text", (column) => column.notNull())
        .addColumn("cutoff_rises", "integer", (column) => column.notNull())
        .addColumn("rises_since", "bigint", (column) => column.notNull())
        .addColumn("pinned_at", "bigint", (column) => column.notNull())
        .addPrimaryKeyConstraint("pins_pk", ["chain_id", "consumer"])
        .execute();
      await db.schema
        .createTable("audit")
        .addColumn("writer", keyText, (column) => column.notNull())
        .addColumn("number", "bigint", (column) => column.notNull())
        .addColumn("written_at", "bigint", (column) => column.notNull())
        .addColumn("entries", "text", (column) => column.notNull())
        .addColumn("hash", "text", (column) => column.notNull())
        .addPrimaryKeyConstraint("audit_pk", ["writer", "number"])
        .execute();
      await db.schema
        .createIndex("audit_by_time")
        .on("audit")
        .columns(["written_at", "writer", "number"])
        .execute();
    },
  },
  "002-refusals": {
    async up(db) {
      await db.schema
        .createTable("refusals")
        .addColumn("chain_id", "bigint", (column) => column.notNull())
        .addColumn("consumer", keyText, (column) => column.notNull())
        .addColumn("day", keyText, (column) => column.notNull())
        .addColumn("reason", keyText, (column) => column.notNull())
        .addColumn("count", "bigint", (column) => column.notNull())
        .addPrimaryKeyConstraint("refusals_pk", ["chain_id", "consumer", "day", "reason"])
        .execute();
    },
  },
});

const migrationNames = Object.keys(migrationsWith("text"));

/** The state of a migration in a store. */
export interface MigrationState {
  readonly name: string;
  /** The time at which it ran; `undefined` if it has not run yet. */
  readonly ranAt: Date | undefined;
  /** Whether this release has it. Otherwise a later one does. */
  readonly isKnown: boolean;
}

/** Lists the migrations that a store has and those that it lacks, in order. Changes nothing. */
export async function listMigrations(db: Kysely<Schema>): Promise<MigrationState[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const ran = tables.some(({ name }) => name === "kysely_migration")
    ? await sql<{ name: string; timestamp: string }>`select name, timestamp from kysely_migration`.execute(db)
    : { rows: [] };
  const times = new Map(ran.rows.map(({ name, timestamp }) => [name, new Date(timestamp)]));
  return [...new Set([...migrationNames, ...times.keys()])].sort().map((name) => ({
    name,
    ranAt: times.get(name),
    isKnown: migrationNames.includes(name),
  }));
}

/** Migrates a store to the newest schema, unless a later release has changed it. Many processes may do so at once. */
export async function migrate(database: Database): Promise<void> {
  if (await isNewest(database.db)) return;
  await database.transact((db) => migrateWithin(db, database));
}

/** Migrates within a transaction. */
export async function migrateWithin(
  db: Kysely<Schema>,
  { keyText }: Pick<Database, "keyText">,
): Promise<void> {
  if (await isNewest(db)) return;
  const migrations = migrationsWith(keyText);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Whether a store has the newest schema. Refuses a store that a later release has changed. */
export async function isNewest(db: Kysely<Schema>): Promise<boolean> {
  const migrations = await listMigrations(db);
  const unknown = migrations.filter(({ isKnown }) => !isKnown).map(({ name }) => name);
  if (unknown.length > 0) {
    throw new InvalidInputError(
      `A later release has changed the credential store's schema (${unknown.join(", ")}), which this one does not know. Run that release, or a later one.`,
    );
  }
  return migrations.every(({ ranAt }) => ranAt !== undefined);
}
