import { setTimeout as delay } from "node:timers/promises";
import {
  Kysely,
  type MigrationLockOptions,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  sql,
} from "kysely";
import type { ClientBase, Pool, PoolClient, PoolConfig, Query as QueryOfPg, QueryResult } from "pg";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Access, Database } from "./database.ts";
import type { Schema } from "./schema.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** The time limit of a connection and of a statement. Clients wait a few times as long at most. */
const timeoutMs = 2_000;

/** Connections of one process. A statement takes a fraction of a millisecond, so few are needed. */
const poolSize = 10;

/**
 * Opens a PostgreSQL database through `pg`, which is loaded only here. It connects on its first use. Nothing is kept in
 * a session, neither a setting nor a prepared statement, so that a pooler may stand in front in any mode.
 *
 * @param url The value of `IDENTITY_DATABASE_URL`.
 */
export async function openPostgres(url: string, access: Access): Promise<Database> {
  const { default: pg } = await import("pg");
  const connectionString = withLibpqModes(url);
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
      application_name: access === "read" ? readerName : writerName,
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
      ...settings,
    });
    // The pool replaces an idle connection that breaks. Statements fail on a busy one. Neither must end the process.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => {
      client.on("error", () => undefined);
      client.on("notice", (notice) => {
        if ("routine" in notice && notice.routine === waitForStandby) alone.add(client);
      });
    });
    return pool;
  };
  const pool = createPool({ max: poolSize, query_timeout: timeoutMs });
  const db = createKysely(adaptPool(pool, guardStatements(pg.Query, access, timeoutMs)));

  /** Uses a separate connection, on which a statement may take long. */
  async function unhurried<T>(use: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    const own = createKysely(adaptPool(createPool({ max: 1 }), guardStatements(pg.Query, access, 0)));
    try {
      return await use(own);
    } finally {
      await own.destroy();
    }
  }

  if (access === "alone") {
    await refuseOthers(db).catch(async (error) => {
      await db.destroy();
      throw error;
    });
  }
  return {
    engine: "postgres",
    db,
    // Orders by bytes, so that an update of the system's locales cannot corrupt an index.
    keyText: sql`text collate "C"`,
    transact: (act) =>
      unhurried((own) => whileInTheWay(() => own.transaction().execute((transaction) => act(transaction)))),
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

/** The names under which PostgreSQL lists the connections. */
const [writerName, readerName] = ["identity-signer", "identity-signer reads"];

/** @throws InvalidInputError when PostgreSQL lists another process that may write to the store. */
async function refuseOthers(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ from: string | null }>`
    select host(client_addr) as "from" from pg_stat_activity
    where datname = current_database() and application_name = ${writerName} and pid <> pg_backend_pid()`.execute(
    db,
  );
  if (rows.length === 0) return;
  const places = [...new Set(rows.map(({ from }) => from ?? "this machine"))].join(", ");
  throw new InvalidInputError(
    `Another process has the store open: PostgreSQL lists ${rows.length} of its connections, from ${places}. Stop every service, and try again. A pooler such as PgBouncer keeps connections for a while: connect past it, or wait.`,
  );
}

/** Runs a statement in a transaction of its own, or in the one that the connection is in. */
type RunStatement = (client: PoolClient, text: string, values: unknown[]) => Promise<QueryResult>;

/**
 * Sets in the transaction of each statement what the statement relies on, in the same round trip. A session's settings
 * would not do: a pooler lends its connections to several sessions, so that a setting is missing here or left to others.
 * The settings override those of the role or server that lose acknowledged writes or run statements past the time limit.
 */
function guardStatements(Query: typeof QueryOfPg, access: Access, timeLimitMs: number): RunStatement {
  const mode = access === "read" ? "set_config('transaction_read_only', 'on', true)" : "''";
  const guard = `select set_config('statement_timeout', '${timeLimitMs}', true), ${mode}, case when current_setting('synchronous_commit') in ('off', 'local') then set_config('synchronous_commit', 'on', true) end, current_setting('transaction_read_only') as "isReadOnly"`;

  return async (client, text, values) => {
    const results = await new Promise<unknown>((resolve, reject) => {
      const config = { text, values, queryMode: "extended" };
      const query = new Query(config, (error, answer) => (error ? reject(error) : resolve(answer)));
      const submit = query.submit.bind(query);
      query.submit = (connection) => {
        connection.stream.cork();
        connection.parse({ text: guard, name: "", types: [] }, true);
        connection.bind({}, true);
        connection.describe({ type: "P" }, true);
        connection.execute({}, true);
        // Ends with the first and only `sync`, and with it the transaction.
        const problem = submit(connection);
        connection.stream.uncork();
        return problem;
      };
      client.query(query);
    });
    if (!Array.isArray(results) || results.length !== 2)
      throw new Error("A statement ran without its settings.");
    const [settings, result] = results;
    // A standby may not have all acknowledged writes yet.
    if (access !== "read" && settings.rows[0].isReadOnly === "on") throw onlyReadable();
    return result;
  };
}

const onlyReadable = () => new StoreUnavailableError("it can only be read", "25006");

/** The PostgreSQL function whose warning means that a commit was reported although no standby confirmed it. */
const waitForStandby = "SyncRepWaitForLSN";

/** Connections whose last commit is on one server only, and may be lost with it. */
const alone = new WeakSet<ClientBase>();

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

/** Makes `pg` interpret `sslmode` as libpq does. By default, its modes differ. */
const withLibpqModes = (url: string) => `${url}${url.includes("?") ? "&" : "?"}uselibpqcompat=true`;

function createKysely(pool: PostgresPool): Kysely<Schema> {
  const dialect = new PostgresDialect({ pool });
  dialect.createAdapter = () => new RowLockAdapter();
  return new Kysely<Schema>({ dialect });
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

/** Adapts the pool to Kysely: replaces the server's error messages, and discards a broken connection. */
function adaptPool(pool: Pool, run: RunStatement): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch((error) => {
        throw describeFailure(error);
      });
      let isBroken = false;
      let failure: unknown;
      return {
        // biome-ignore lint/suspicious/noExplicitAny: Kysely's own signature, of which only the first form is used.
        async query(text: any, parameters?: readonly unknown[]): Promise<any> {
          try {
            const result = await run(client, text, [...(parameters ?? [])]);
            if (alone.delete(client)) throw new StoreUnavailableError("no standby confirms it", "01000");
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

/** SQLSTATEs of a rollback because of a concurrent transaction. */
const undone = ["40001", "40P01"];

/** SQLSTATEs, and classes of them, of a server that is lost or no longer the primary. */
const lost = ["08", "57P01", "57P02", "57P03", "25006"];

const reasons: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^28/, "it refuses the user or the password"],
  [/^3D000$/, "it has no database of that name"],
  [/^42P01$/, "its tables are missing: run identity-signer migrate"],
  [/^42501$/, "the user may not do what has to be done"],
  [/^53100$/, "its disk is full"],
  // What PgBouncer says itself: all of the first, and what comes of a pool that mixes up its clients' statements.
  [/^(08P01|26000|42P05)$/, "its pooler refuses it, and says why in its log"],
  [/^(53|57|08)/, "it cannot work right now"],
  [/^25006$/, "it can only be read"],
  [/^(ECONN|ENOENT|ENOTFOUND|EAI|EHOST|ENET|EPIPE)/, "it cannot be reached"],
  [/^(ETIMEDOUT|57014)$/, "it does not answer in time"],
  [/^SSL$/, "it offers no TLS, and sslmode in the URL wants it"],
  [/CERT|TLS|SSL|SELF_SIGNED|VERIFY/, "TLS with it fails"],
];

/** Describes a failure without the server's message, which may quote a statement or a misplaced password. */
function describeFailure(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const message = error instanceof Error ? error.message : "";
  const isSlow = /timeout/i.test(message);
  const code = isSlow ? "ETIMEDOUT" : /support SSL/.test(message) ? "SSL" : codeOf(error);
  const [, reason = "it failed"] = reasons.find(([pattern]) => pattern.test(code)) ?? [];
  const isLost = !isSlow && (!isSqlState(code) || lost.some((each) => code.startsWith(each)));
  return new StoreUnavailableError(
    reason,
    code,
    undone.includes(code) ? "always" : isLost ? "when-idempotent" : "never",
  );
}

/** Whether the server refused a statement and keeps the connection. */
const isRefusal = (error: unknown) => isSqlState(codeOf(error)) && !lost.includes(codeOf(error));

const isSqlState = (code: string) => /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "ECONNLOST";
