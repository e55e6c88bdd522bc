import { existsSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import {
  type DatabaseMetadataOptions,
  Kysely,
  type MigrationLockOptions,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  type PostgresPool,
  sql,
  type TableMetadata,
} from "kysely";
import type { ClientBase, Pool, PoolClient, PoolConfig } from "pg";
import { describeChangeable, describeExposure } from "../files/exposure.ts";
import { requirePackage } from "../files/optionalPackage.ts";
import type { Access, Database } from "./database.ts";
import { codeOf, describeFailure, isRefusal } from "./postgresFailures.ts";
import type { Schema } from "./schema.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** The time limit of a connection and of a statement. Clients wait a few times as long at most. */
const timeoutMs = 2_000;

/** Connections of one process. A statement takes a fraction of a millisecond, so few are needed. */
const poolSize = 10;

/**
 * Opens a PostgreSQL database through `pg`, which is loaded only here. It connects on its first use. After a connection
 * is made, nothing is kept in its session, neither a setting nor a prepared statement, so that a pooler may stand in front.
 *
 * @param url The value of `IDENTITY_DATABASE_URL`.
 */
export async function openPostgres(url: string, access: Access): Promise<Database> {
  const pg = requirePackage<typeof import("pg")>(
    "pg",
    import.meta.url,
    "A PostgreSQL store (IDENTITY_DATABASE_URL)",
  );
  const connectionString = describeConnection(url, access);
  requireOwnFiles(url);
  try {
    // Reads the files that the URL names, as every connection will.
    new pg.Client({ connectionString });
  } catch (error) {
    throw new InvalidInputError(
      `The files that IDENTITY_DATABASE_URL names (sslrootcert, sslcert, sslkey) cannot be used (${codeOf(error)}).`,
    );
  }
  const createPool = (settings: PoolConfig) => {
    const pool = new pg.Pool({
      connectionString,
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
      ...settings,
    });
    // The pool replaces an idle connection that breaks. Statements fail on a busy one. Neither must end the process.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => {
      client.on("error", () => undefined);
      client.on("notice", (notice) => {
        if ("routine" in notice && notice.routine === waitForStandby) unreplicated.add(client);
      });
    });
    return pool;
  };
  const pool = createPool({ max: poolSize, query_timeout: timeoutMs });
  const db = createKysely(adaptPool(pool, access));

  /** Runs a transaction on a separate connection, on which a statement may take long. */
  async function transact<T>(act: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    const own = createKysely(adaptPool(createPool({ max: 1 }), access));
    try {
      return await whileInTheWay(() =>
        own.transaction().execute(async (transaction) => {
          await liftTimeLimits(transaction);
          return act(transaction);
        }),
      );
    } finally {
      await own.destroy();
    }
  }

  if (access === "exclusive") {
    await refuseOthers(db).catch(async (error) => {
      await db.destroy();
      throw error;
    });
  }
  return {
    engine: "postgres",
    db,
    run: (query) => db.executeQuery(query),
    // Orders by bytes, so that an update of the system's locales cannot corrupt an index.
    keyText: sql`text collate "C"`,
    transact,
    async backup() {
      throw new InvalidInputError("A PostgreSQL database is backed up by its own tools, such as pg_dump.");
    },
    // PostgreSQL overwrites nothing on demand. docs/store.md describes the remaining data.
    emptyLog: async () => true,
    connections: async () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: poolSize,
    }),
    close: () => db.destroy(),
  };
}

/**
 * Refuses certificates that other users can change, as they decide which server is the database, and a key that others can
 * read. A missing file is reported where it is read.
 */
function requireOwnFiles(databaseUrl: string): void {
  const [, query] = /\?(.*)/.exec(databaseUrl) ?? [];
  const parameters = new URLSearchParams(query);
  for (const name of ["sslrootcert", "sslcert", "sslkey"]) {
    const file = parameters.get(name);
    if (file === null) continue;
    const exposure = name === "sslkey" && existsSync(file) ? describeExposure(statSync(file)) : undefined;
    const problem = exposure ?? describeChangeable(file);
    if (problem !== undefined)
      throw new InvalidInputError(`IDENTITY_DATABASE_URL names as ${name} a file that ${problem}.`);
  }
}

/** The name under which PostgreSQL lists the connections of a process that may write. */
const writerName = "identity-signer";

/** The same for a process that only reads. */
const readerName = "identity-signer reads";

/** @throws InvalidInputError when PostgreSQL lists another process that may write to the store. */
async function refuseOthers(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ from: string | null }>`
    select host(client_addr) as "from" from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and (application_name = ${writerName}
      -- PostgreSQL hides the names of other roles' connections, such as those of a second role of the service.
      or application_name is null and usesysid in (
        select oid from pg_roles where not rolsuper and pg_has_role(oid, current_user, 'member')))`.execute(
    db,
  );
  if (rows.length === 0) return;
  const places = [...new Set(rows.map(({ from }) => from ?? "this machine"))].join(", ");
  throw new InvalidInputError(
    `Another process has the store open: PostgreSQL lists ${rows.length} of its connections, from ${places}. Stop every service, and try again. A pooler such as PgBouncer keeps connections for a while: connect past it, or wait.`,
  );
}

/**
 * The connection string for `pg`: its `sslmode` means what it means to libpq, and a session begins with the settings that
 * the service relies on. They override those of the role, the database and the server.
 */
function describeConnection(databaseUrl: string, access: Access): string {
  const settings = [`statement_timeout=${timeoutMs}`, "synchronous_commit=on", "client_min_messages=warning"];
  if (access === "read") settings.push("default_transaction_read_only=on");
  const [, query] = /\?(.*)/.exec(databaseUrl) ?? [];
  const own = new URLSearchParams(query).get("options") ?? "";
  const options = `${own} ${settings.map((setting) => `-c ${setting}`).join(" ")}`.trim();
  const name = access === "read" ? readerName : writerName;
  // `pg` takes the last one of a name. `refuseOthers` knows the service's connections by theirs.
  const added = `uselibpqcompat=true&application_name=${encodeURIComponent(name)}&options=${encodeURIComponent(options)}`;
  return `${databaseUrl}${query === undefined ? "?" : "&"}${added}`;
}

/**
 * Refuses a new connection without the settings that the service relies on, and one to a standby, which may not have all
 * acknowledged writes yet. A pooler may drop the settings that a session begins with; then the role must have them.
 */
async function checkSession(client: PoolClient, access: Access): Promise<void> {
  const { rows } = await client.query<{
    timeout: string;
    commit: string;
    messages: string;
    readOnly: string;
  }>(
    `select setting as timeout, current_setting('synchronous_commit') as commit, current_setting('client_min_messages') as messages, current_setting('transaction_read_only') as "readOnly" from pg_settings where name = 'statement_timeout'`,
  );
  const [{ timeout, commit, messages, readOnly } = { timeout: "", commit: "", messages: "", readOnly: "" }] =
    rows;
  if (access !== "read" && readOnly === "on") throw new StoreUnavailableError("it can only be read", "25006");
  const lost: string[] = [];
  if (timeout !== String(timeoutMs)) lost.push(`statement_timeout = ${timeoutMs}`);
  if (commit === "off" || commit === "local") lost.push("synchronous_commit = on");
  // Without warnings, a commit that no standby confirmed looks like any other; see `waitForStandby`.
  if (messages === "error") lost.push("client_min_messages = warning");
  if (lost.length === 0) return;
  const mend = lost.map((setting) => `alter role <user> set ${setting}`).join("; ");
  throw new StoreUnavailableError(
    `a pooler in front of it drops settings that the service needs; give them to the role: ${mend}`,
    "22023",
  );
}

/**
 * Lifts a server's time limits until the end of a transaction: those of the role, of the database and of the server itself.
 * A server before version 17 has no `transaction_timeout`.
 */
async function liftTimeLimits(transaction: Kysely<Schema>): Promise<void> {
  await sql`
    select set_config(name, '0', true) from pg_settings where name in (
      'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`.execute(
    transaction,
  );
}

/** The PostgreSQL function whose warning means that a commit was reported although no standby confirmed it. */
const waitForStandby = "SyncRepWaitForLSN";

/** Connections whose last commit is on one server only, and may be lost with it. */
const unreplicated = new WeakSet<ClientBase>();

/** SQLSTATEs of concurrent migrations that create the same tables: the first one succeeds, and the others retry. */
const inTheWay = ["23505", "42P07", "42710", "40001", "40P01"];

async function whileInTheWay<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const code = error instanceof StoreUnavailableError ? error.code : "";
      if (!inTheWay.includes(code) || tries === 50) throw error;
      await delay(100 * Math.random());
    }
  }
}

function createKysely(pool: PostgresPool): Kysely<Schema> {
  const dialect = new PostgresDialect({ pool });
  dialect.createAdapter = () => new RowLockAdapter();
  dialect.createIntrospector = (db) => new VisibleTables(db);
  return new Kysely<Schema>({ dialect });
}

/** Lists the tables that a name without a schema means. Kysely lists those of other schemas, too. */
class VisibleTables extends PostgresIntrospector {
  readonly #db: Kysely<unknown>;
  constructor(db: Kysely<unknown>) {
    super(db);
    this.#db = db;
  }
  override async getTables(options?: DatabaseMetadataOptions): Promise<TableMetadata[]> {
    const { rows } = await sql<{ schema: string; name: string }>`
      select nspname as schema, relname as name from pg_class
      join pg_namespace on pg_namespace.oid = relnamespace
      where relkind in ('r', 'v', 'p', 'f') and pg_table_is_visible(pg_class.oid)`.execute(this.#db);
    const visible = new Set(rows.map(({ schema, name }) => JSON.stringify([schema, name])));
    const tables = await super.getTables(options);
    return tables.filter(({ schema, name }) => visible.has(JSON.stringify([schema, name])));
  }
}

/** Serializes migrations by a row lock, which every PostgreSQL-compatible engine supports. */
class RowLockAdapter extends PostgresAdapter {
  override async acquireMigrationLock(
    db: Kysely<unknown>,
    { lockTable, lockRowId }: MigrationLockOptions,
  ): Promise<void> {
    await sql`select id from ${sql.table(lockTable)} where id = ${lockRowId} for update`.execute(db);
  }
  /** The lock ends with the transaction. */
  override async releaseMigrationLock(): Promise<void> {}
}

/** Adapts the pool to Kysely: checks new connections, discards broken ones, and replaces the server's error messages. */
function adaptPool(pool: Pool, access: Access): PostgresPool {
  const checked = new WeakSet<PoolClient>();

  async function connect(): Promise<PoolClient> {
    const client = await pool.connect();
    if (checked.has(client)) return client;
    try {
      await checkSession(client, access);
    } catch (error) {
      client.release(true);
      throw error;
    }
    checked.add(client);
    return client;
  }

  return {
    async connect() {
      const client = await connect().catch((error) => {
        throw describeFailure(error);
      });
      let isBroken = false;
      let failure: unknown;
      return {
        // biome-ignore lint/suspicious/noExplicitAny: Kysely's own signature, of which only the first form is used.
        async query(text: any, parameters?: readonly unknown[]): Promise<any> {
          try {
            const result = await client.query(text, [...(parameters ?? [])]);
            if (unreplicated.delete(client))
              throw new StoreUnavailableError("no standby confirms it", "01000");
            return result;
          } catch (error) {
            isBroken ||= !isRefusal(error);
            // The first failure of a transaction is the cause. Each further statement only fails because of it.
            failure = codeOf(error) === "25P02" ? (failure ?? error) : error;
            throw describeFailure(failure);
          }
        },
        release: (discard?: boolean) => client.release(isBroken || discard === true),
      };
    },
    end: () => pool.end(),
  } as PostgresPool;
}
