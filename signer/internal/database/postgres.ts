import { setTimeout as delay } from "node:timers/promises";
import {
  Kysely,
  type MigrationLockOptions,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  sql,
} from "kysely";
import type { ClientBase, Pool, PoolConfig } from "pg";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** Milliseconds that a connection may take, and a statement. Whoever waits is answered within a few of them. */
const patience = 2_000;

/** Connections of one process. A statement takes a fraction of a millisecond: few are needed. */
const poolSize = 10;

/**
 * Opens a PostgreSQL database through `pg`, which is loaded here and nowhere else. It connects when it is used.
 *
 * @param url As `IDENTITY_DATABASE_URL` has it.
 */
export async function openPostgres(url: string): Promise<Database> {
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
      application_name: "identity-signer",
      connectionTimeoutMillis: patience,
      keepAlive: true,
      ...settings,
    });
    // A connection that breaks while nobody uses it is replaced; one in use tells who uses it. Neither ends the process.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => {
      client.on("error", () => undefined);
      client.on("notice", (notice) => {
        if ("routine" in notice && notice.routine === waitForStandby) alone.add(client);
      });
    });
    return pool;
  };
  const pool = createPool({
    max: poolSize,
    query_timeout: patience,
    async onConnect(client) {
      // What a role or a server is set to must not lose what was acknowledged, nor go on with what nobody waits for.
      const { rows } = await client.query<{ isReadOnly: string }>(
        `select set_config('statement_timeout', '${patience}', false), case when current_setting('synchronous_commit') in ('off', 'local') then set_config('synchronous_commit', 'on', false) end, current_setting('transaction_read_only') as "isReadOnly"`,
      );
      // A standby may not have yet what was acknowledged.
      if (rows[0]?.isReadOnly === "on") throw onlyReadable();
    },
  });
  const db = createKysely(pool);

  /** A connection of its own, on which a statement may take long. */
  async function unhurried<T>(use: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    const own = createKysely(createPool({ max: 1 }));
    try {
      return await use(own);
    } finally {
      await own.destroy();
    }
  }

  return {
    engine: "postgres",
    db,
    // In the order of bytes, which no update of the system's languages changes under an index.
    keyText: sql`text collate "C"`,
    async findSealed(wallet, provider) {
      const query = {
        name: "find-credential",
        text: "select sealed from credentials where wallet = $1 and provider = $2",
        values: [wallet, provider],
      };
      try {
        return (await pool.query<{ sealed: string }>(query)).rows[0]?.sealed;
      } catch (error) {
        throw describeFailure(error);
      }
    },
    async check() {
      const { rows } = await sql<{
        isReadOnly: string;
      }>`select current_setting('transaction_read_only') as "isReadOnly" from (select 1 from properties limit 1) as one`.execute(
        db,
      );
      if (rows[0]?.isReadOnly === "on") throw onlyReadable();
    },
    migrate: (change) =>
      unhurried((own) =>
        whileInTheWay(() => own.transaction().execute((transaction) => change(transaction))),
      ),
    async backup() {
      throw new InvalidInputError("A PostgreSQL database is backed up by its own tools, such as pg_dump.");
    },
    // PostgreSQL overwrites nothing on demand; docs/store.md says what is left, and until when.
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

const onlyReadable = () => new StoreUnavailableError("it can only be read", "25006");

/** PostgreSQL's own function: what it warns of was cancelled while it waited for a standby, and yet is called done. */
const waitForStandby = "SyncRepWaitForLSN";

/** Connections whose last statement is on one server alone, and may be lost with it. */
const alone = new WeakSet<ClientBase>();

/** SQLSTATEs of those who create the same tables at the same time: the first one does, and the others try again. */
const inTheWay = ["23505", "25P02", "42P07", "40001", "40P01"];

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

/** The modes as libpq has them, and as everybody knows them; `pg` has others unless it is told. */
function withLibpqModes(url: string): string {
  const location = new URL(url);
  if (location.searchParams.has("sslmode")) location.searchParams.set("uselibpqcompat", "true");
  return location.href;
}

function createKysely(pool: Pool): Kysely<Schema> {
  const dialect = new PostgresDialect({ pool: adaptPool(pool) });
  dialect.createAdapter = () => new RowLockAdapter();
  return new Kysely<Schema>({ dialect });
}

/** Its migrations take turns by a lock on a row, which every engine has that speaks PostgreSQL. */
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

/** Kysely's view of the pool: failures are told in our words, and a connection that had one is not used again. */
function adaptPool(pool: Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch((error) => {
        throw describeFailure(error);
      });
      let isBroken = false;
      return {
        // biome-ignore lint/suspicious/noExplicitAny: Kysely's own signature, of which only the first form is used.
        async query(text: any, parameters?: readonly unknown[]): Promise<any> {
          try {
            const result = await client.query(text, [...(parameters ?? [])]);
            if (alone.delete(client)) throw new StoreUnavailableError("no standby confirms it", "01000");
            return result;
          } catch (error) {
            isBroken ||= !isRefusal(error);
            throw describeFailure(error);
          }
        },
        release: (discard?: boolean) => client.release(isBroken || discard === true),
      };
    },
    end: () => pool.end(),
  } as PostgresPool;
}

/** SQLSTATEs of what was undone for another transaction's sake. */
const undone = ["40001", "40P01"];

/** SQLSTATE classes, and SQLSTATEs, of a server that goes away, or that is no leader any more. */
const lost = ["08", "57P01", "57P02", "57P03", "25006"];

const reasons: readonly (readonly [code: RegExp, reason: string, isAway?: "away"])[] = [
  [/^28/, "it refuses the user or the password"],
  [/^3D000$/, "it has no database of that name"],
  [/^42P01$/, "its tables are missing: run identity-signer migrate"],
  [/^42501$/, "the user may not do what has to be done"],
  [/^53100$/, "its disk is full", "away"],
  [/^(53|57|08)/, "it cannot work right now", "away"],
  [/^25006$/, "it can only be read", "away"],
  [/^(ECONN|ENOENT|ENOTFOUND|EAI|EHOST|ENET|EPIPE)/, "it cannot be reached", "away"],
  [/^(ETIMEDOUT|57014)$/, "it does not answer in time", "away"],
  [/^SSL$/, "it offers no TLS, and sslmode in the URL wants it"],
  [/CERT|TLS|SSL|SELF_SIGNED|VERIFY/, "TLS with it fails"],
];

/** A failure without the server's own words, which may quote what it was asked, or a password in a wrong place. */
function describeFailure(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const message = error instanceof Error ? error.message : "";
  const isSlow = /timeout/i.test(message);
  const code = isSlow ? "ETIMEDOUT" : /support SSL/.test(message) ? "SSL" : codeOf(error);
  const [, reason = "it failed", isAway] = reasons.find(([pattern]) => pattern.test(code)) ?? [];
  const isLost = !isSlow && (!isSqlState(code) || lost.some((each) => code.startsWith(each)));
  return new StoreUnavailableError(
    reason,
    code,
    undone.includes(code) ? "always" : isLost ? "when-idempotent" : "never",
    isAway !== undefined,
  );
}

/** Whether the server has refused a statement, and goes on to serve the connection. */
const isRefusal = (error: unknown) => isSqlState(codeOf(error)) && !lost.includes(codeOf(error));

const isSqlState = (code: string) => /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "ECONNLOST";
