import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { formatNumber } from "../report/report.ts";

/** So many rows are written by one statement. */
const share = 1_000_000;

/**
 * Adds rows of wallets that nobody has the key of to a store that has a credential. Each holds a text that was sealed
 * for somebody else: what counts is how many and how large they are, for nobody asks for them. They come in the order of
 * their wallets, the first digits apart by chance: in any other, an index of millions takes an hour to grow.
 *
 * @param databaseUrl As `IDENTITY_DATABASE_URL` has it.
 */
export async function addStrangers(
  databaseUrl: string,
  count: number,
  onStep: (step: string) => void,
): Promise<void> {
  if (count <= 0) return;
  const writer = databaseUrl.startsWith("file:") ? openSqlite(databaseUrl) : await openPostgres(databaseUrl);
  for (let done = 0; done < count; done += share) {
    const until = Math.min(done + share, count);
    await writer.write(done, until, count);
    onStep(`  ${formatNumber(until, 0)} of them`);
  }
  await writer.close();
}

interface Writer {
  /** Adds those from one number to before another, of so many. */
  write(from: number, until: number, count: number): unknown;
  close(): unknown;
}

function openSqlite(databaseUrl: string): Writer {
  const database = new DatabaseSync(databaseUrl.slice("file:".length));
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -100000");
  const insert = database.prepare(`
    WITH RECURSIVE numbers(n) AS (SELECT $from UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < $until),
      one AS MATERIALIZED (SELECT provider, sealed FROM credentials LIMIT 1)
    INSERT INTO credentials (wallet, provider, sealed)
    SELECT '0x' || printf('%05x', n * 1048576 / $count) || substr(lower(hex(randomblob(18))), 1, 35), provider, sealed
    FROM numbers, one`);
  return {
    write: (from, until, count) => insert.run({ from, until, count }),
    close() {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
    },
  };
}

async function openPostgres(databaseUrl: string): Promise<Writer> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("set synchronous_commit = off");
  return {
    write: (from, until, count) =>
      client.query(
        `insert into credentials (wallet, provider, sealed)
        select '0x' || lpad(to_hex(n * 1048576 / $3::bigint), 5, '0')
          || substr(encode(sha256(uuid_send(gen_random_uuid())), 'hex'), 1, 35), provider, sealed
        from generate_series($1::bigint, $2::bigint - 1) as n, (select provider, sealed from credentials limit 1) as one`,
        [from, until, count],
      ),
    async close() {
      await client.query("vacuum analyze credentials");
      await client.end();
    },
  };
}
