import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { backUpStore } from "../../signer/index.ts";
import { sharedPostgres, withClient } from "../../test/fixtures/signer/postgres.ts";
import type { Environment } from "../environment/environment.ts";
import { addFillerRows } from "../environment/fillerRows.ts";
import { createPeople } from "../environment/people.ts";
import { fillStore } from "../environment/servers.ts";
import { meanBetween, readHistogram } from "../load/usage.ts";
import type { Options } from "../options.ts";
import { formatNumber, type Measured, median, type Row, type Target, target } from "../report/report.ts";
import { warmUp } from "./compare.ts";
import { inTurn } from "./inTurn.ts";

/** The number of a store's credentials that are requested, in turn: more than a cache holds. */
const asked = 10_000;

/** Creates databases of an engine, measures their size on disk in bytes, and copies them. */
interface Engine {
  readonly name: string;
  createDatabase(size: number): Promise<string>;
  measureSize(databaseUrl: string): Promise<{ rows: number; index?: number }>;
  copy(databaseUrl: string): Promise<unknown>;
}

const engines: Readonly<Record<string, (folder: string) => Engine>> = {
  sqlite: (folder) => ({
    name: "SQLite",
    createDatabase: async (size) => `file:${join(folder, `${size}.sqlite`)}`,
    measureSize: async (databaseUrl) => ({ rows: statSync(databaseUrl.slice(5)).size }),
    async copy(databaseUrl) {
      const copy = `${databaseUrl.slice(5)}.copy`;
      await backUpStore(databaseUrl, copy);
      rmSync(copy);
    },
  }),
  postgres: () => ({
    name: "PostgreSQL",
    createDatabase: async () => await (await sharedPostgres()).createDatabase(),
    measureSize: (databaseUrl) =>
      withClient(databaseUrl, async (client) => {
        const { rows } = await client.query<{ rows: string; index: string }>(
          "select pg_table_size('credentials') as rows, pg_indexes_size('credentials') as index",
        );
        return { rows: Number(rows[0]?.rows), index: Number(rows[0]?.index) };
      }),
    // Reads what pg_dump would read: the npm package has no pg_dump.
    copy: (databaseUrl) =>
      withClient(databaseUrl, (client) => client.query("copy credentials to '/dev/null'")),
  }),
};

/** Measures the same service on stores of very different sizes, in turn, one request at a time. */
export async function flat(environment: Environment, options: Options): Promise<Measured> {
  const { engine, credentials, rounds, seconds } = options;
  const rows: Row[] = [];
  const targets: Target[] = [];
  for (const [name, create] of Object.entries(engines)) {
    if (engine !== undefined && engine !== name) continue;
    const measured = await measureEngine(environment, options, create(environment.folder));
    rows.push(...measured);
    const of = (key: string) => measured.map(({ values }) => values[key] ?? Number.NaN);
    const [small = Number.NaN, ...larger] = of("p50");
    const { name: title } = create("");
    targets.push(
      target(
        `${title}: p50 no longer by a quarter`,
        Math.max(...larger) / small,
        { atMost: 1.25 },
        (ratio) => `${formatNumber(ratio, 2)} times that of ${formatNumber(credentials[0], 0)}`,
      ),
    );
  }
  return {
    notes: [
      `${rounds} rounds of ${seconds} s of one request at a time, of ${formatNumber(asked, 0)} people (or all of them) in turn.`,
    ],
    columns: [
      { key: "p50", heading: "p50, ms", digits: 2 },
      { key: "p99", heading: "p99, ms", digits: 2 },
      { key: "find", heading: "of it in the store, ms", digits: 3 },
      { key: "rowBytes", heading: "bytes a row", digits: 0 },
      { key: "indexBytes", heading: "and in the index", digits: 0 },
      { key: "filled", heading: "filled in, s", digits: 0 },
      { key: "copied", heading: "copied in, s", digits: 0 },
    ],
    rows,
    targets,
  };
}

async function measureEngine(environment: Environment, options: Options, engine: Engine): Promise<Row[]> {
  const { seconds, onStep } = options;
  const stores = [];
  for (const size of options.credentials) {
    onStep(`${engine.name}: writing ${formatNumber(size, 0)} credentials`);
    const people = createPeople(Math.min(size, asked));
    const databaseUrl = await engine.createDatabase(size);
    const filled = await time(async () => {
      await fillStore(databaseUrl, environment.secret, people);
      await addFillerRows(databaseUrl, size - people.length);
    });
    const { rows, index } = await engine.measureSize(databaseUrl);
    const copied = await time(() => engine.copy(databaseUrl));
    const server = await environment.startService({ name: `${engine.name}-${size}`, databaseUrl, people });
    const sizes = { rowBytes: rows / size, ...(index !== undefined && { indexBytes: index / size }) };
    stores.push({ size, people, server, values: { filled, copied, ...sizes } });
  }
  const found = await inTurn(stores, options.rounds, async ({ size, people, server }, round) => {
    onStep(`Round ${round + 1}: ${formatNumber(size, 0)} credentials`);
    const requests = environment.sign(asked, { people });
    await warmUp(environment, server, options, { requests, seconds });
    const before = await readHistogram(server.url, ...find);
    const { p50, p99 } = await environment.load(server, { kind: "idle", pause: 1 }, { requests, seconds });
    const inStore = meanBetween(before, await readHistogram(server.url, ...find));
    return { p50, p99, find: inStore };
  });
  for (const { server } of stores) await server.stop();
  return [...found].map(([{ size, values }, each]) => ({
    name: `${engine.name}, ${formatNumber(size, 0)}`,
    values: {
      p50: median(each.map(({ p50 }) => p50)),
      p99: median(each.map(({ p99 }) => p99)),
      find: median(each.map((one) => one.find)),
      ...values,
    },
  }));
}

const find = ["identity_store_call_duration_seconds", 'operation="find",outcome="done"'] as const;

/** Returns the time that work takes, in seconds. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1_000;
}
