import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { deriveKey } from "../../../protocol/keys.ts";
import type { Schema } from "./schema.ts";
import { createSeal, type Seal } from "./seal.ts";
import { checkMasterSecret } from "./settings.ts";
import { busyTimeout, retryWhileLocked } from "./sqlite.ts";

/** In the order of their names, which never change once released. */
const migrationsWith = (masterSecret: Uint8Array): Record<string, Migration> => ({
  "001-credentials": {
    async up(db) {
      await db.schema
        .createTable("credentials")
        .addColumn("wallet", "text", (column) => column.notNull())
        .addColumn("provider", "text", (column) => column.notNull())
        .addColumn("pseudonym", "text", (column) => column.notNull())
        .addColumn("traits", "text", (column) => column.notNull())
        .addColumn("authenticated_at", "bigint", (column) => column.notNull())
        .addPrimaryKeyConstraint("credentials_pk", ["wallet", "provider"])
        .execute();
      await db.schema
        .createTable("settings")
        .addColumn("name", "text", (column) => column.primaryKey())
        .addColumn("value", "text", (column) => column.notNull())
        .execute();
    },
  },
  "002-spent-nonces": {
    async up(db) {
      await db.schema
        .createTable("spent_nonces")
        .addColumn("nonce", "text", (column) => column.primaryKey())
        .addColumn("expires_at", "bigint", (column) => column.notNull())
        .execute();
    },
  },
  "003-sealed-credentials": {
    async up(db) {
      // Before a row is touched.
      await checkMasterSecret(db, masterSecret);
      await db.schema.alterTable("credentials").renameColumn("traits", "sealed").execute();
      const former = createSeal(deriveKey(masterSecret, "traits"), "v1");
      const seal = credentialSeal(masterSecret);
      for (const row of await db.selectFrom("credentials").selectAll().execute()) {
        const { wallet, provider, pseudonym } = row;
        const authenticatedAt = Number(row.authenticated_at);
        const traits = former.open([wallet, provider, pseudonym, authenticatedAt], row.sealed);
        const sealed = seal.close([wallet, provider], { pseudonym, traits, authenticatedAt });
        await db
          .updateTable("credentials")
          .set({ sealed })
          .where("wallet", "=", wallet)
          .where("provider", "=", provider)
          .execute();
      }
      for (const column of ["pseudonym", "authenticated_at"]) {
        await db.schema.alterTable("credentials").dropColumn(column).execute();
      }
    },
  },
  "004-pins": {
    async up(db) {
      await db.schema
        .createTable("pins")
        .addColumn("chain_id", "bigint", (column) => column.notNull())
        .addColumn("consumer", "text", (column) => column.notNull())
        .addColumn("policy_hash", "text", (column) => column.notNull())
        .addColumn("cutoff_block", "text", (column) => column.notNull())
        .addColumn("cutoff_rises", "integer", (column) => column.notNull())
        .addColumn("rises_since", "bigint", (column) => column.notNull())
        .addColumn("pinned_at", "bigint", (column) => column.notNull())
        .addPrimaryKeyConstraint("pins_pk", ["chain_id", "consumer"])
        .execute();
    },
  },
});

/** What a credential is sealed with in its row. */
export const credentialSeal = (masterSecret: Uint8Array): Seal =>
  createSeal(deriveKey(masterSecret, "credential"), "v2");

/**
 * Brings an SQLite database to the newest schema; many processes may do so at once.
 *
 * @throws InvalidInputError when the store was made with another master secret.
 */
export async function migrateSqlite(db: Kysely<Schema>, masterSecret: Uint8Array): Promise<void> {
  const migrations = migrationsWith(masterSecret);
  await db.connection().execute(async (connection) => {
    // Kysely takes no lock on SQLite: without this, two processes create the same tables.
    await retryWhileLocked(() => sql`begin immediate`.execute(connection));
    try {
      const migrator = new Migrator({ db: connection, provider: { getMigrations: async () => migrations } });
      const { error } = await migrator.migrateToLatest();
      if (error !== undefined) throw error;
      await sql`commit`.execute(connection);
    } catch (error) {
      await sql`rollback`.execute(connection);
      throw error;
    }
    await sql`pragma busy_timeout = ${sql.lit(busyTimeout)}`.execute(connection);
  });
}
