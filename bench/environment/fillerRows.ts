import { DatabaseSync } from "node:sqlite";
import { withClient } from "../../test/fixtures/signer/postgres.ts";

/**
 * Adds rows of random wallets to a store with at least one credential. Each row has a copy of the sealed text of
 * another wallet: only the number and the size of the rows matter, because nobody requests them. The rows come in the
 * order of their wallets, except for random lower digits: in any other order, an index of millions of rows takes an
 * hour to grow.
 *
 * @param databaseUrl As in `IDENTITY_DATABASE_URL`.
 */
export async function addFillerRows(databaseUrl: string, count: number): Promise<void> {
  if (count <= 0) return;
  if (databaseUrl.startsWith("file:")) addToSqlite(databaseUrl.slice("file:".length), count);
  else await addToPostgres(databaseUrl, count);
}

/** The rows of each statement, at most a million. */
const batches = (count: number) =>
  Array.from(
    { length: Math.ceil(count / 1e6) },
    (_, i) => [i * 1e6, Math.min((i + 1) * 1e6, count)] as const,
  );

function addToSqlite(path: string, count: number): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -100000");
  const insert = database.prepare(`
    WITH RECURSIVE numbers(n) AS (SELECT $from UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < $until),
      one AS MATERIALIZED (SELECT provider, sealed FROM credentials LIMIT 1)
    INSERT INTO credentials (wallet, provider, sealed)
    SELECT '0x' || printf('%05x', n * 1048576 / $count) || substr(lower(hex(randomblob(18))), 1, 35), provider, sealed
    FROM numbers, one`);
  for (const [from, until] of batches(count)) insert.run({ from, until, count });
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

const addToPostgres = (databaseUrl: string, count: number) =>
  withClient(databaseUrl, async (client) => {
    await client.query("set synchronous_commit = off");
    for (const [from, until] of batches(count)) {
      await client.query(
        `insert into credentials (wallet, provider, sealed)
        select '0x' || lpad(to_hex(n * 1048576 / $3::bigint), 5, '0')
          || substr(encode(sha256(uuid_send(gen_random_uuid())), 'hex'), 1, 35), provider, sealed
        from generate_series($1::bigint, $2::bigint - 1) as n, (select provider, sealed from credentials limit 1) as one`,
        [from, until, count],
      );
    }
    await client.query("vacuum analyze credentials");
  });
