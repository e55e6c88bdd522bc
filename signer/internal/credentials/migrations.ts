import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { busyTimeout, retryWhileLocked } from "./sqlite.ts";

/** Rows as they stand in the database; the same in SQLite and PostgreSQL. */
export interface Schema {
  credentials: {
    /** EIP-55 checksummed address. */
    wallet: string;
    provider: string;
    /** 32 bytes hex. */
    pseudonym: string;
    /** Encrypted; see traitCipher.ts. */
    traits: string;
    /** Unix seconds. */
    authenticated_at: number;
  };
  settings: {
    name: string;
    value: string;
  };
  /** What can be used once, and was. */
  spent_nonces: {
    nonce: string;
    /** Unix seconds after which it is worth nothing anyway. */
    expires_at: number;
  };
}

/** In the order of their names, which never change once released. */
const migrations: Record<string, Migration> = {
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
};

/** Brings an SQLite database to the newest schema; many processes may do so at once. */
export async function migrateSqlite(db: Kysely<Schema>): Promise<void> {
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
