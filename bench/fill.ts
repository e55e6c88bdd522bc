// Fills a store with credentials, on each engine, and shows what a request takes over it, beside a store of a thousand.
//
//   node bench/fill.ts [--count 10000000] [--engine sqlite|postgres] [--seconds 5] [--rounds 5] [--source] [--json]
//
// Ten million by default; each million takes some seconds and half a gigabyte, of both engines one after the other.
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { backUpStore } from "../signer/index.ts";
import { sharedPostgres, withClient } from "../test/fixtures/signer/postgres.ts";
import { meanBetween, readHistogram } from "./load/histogram.ts";
import { type Options, readCommand } from "./options.ts";
import { startProgress } from "./progress.ts";
import { median } from "./quantile.ts";
import { conclude } from "./report/print.ts";
import { formatNumber, type Row, type ScenarioReport, type Target, target } from "./report/report.ts";
import { describeMachine } from "./stage/machine.ts";
import { createPeople, type Person, signRequests } from "./stage/people.ts";
import { fillStore, type Server } from "./stage/servers.ts";
import { setStage } from "./stage/stage.ts";
import { addStrangers } from "./stage/strangers.ts";

/** So many people ask, in turn. */
const asked = 500;
const small = 1_000;

/** What an engine takes of the disk, and how long a copy of all of it takes. */
interface Engine {
  readonly name: string;
  createDatabase(): Promise<string>;
  /** Bytes. */
  size(databaseUrl: string): Promise<{ rows: number; index: number | undefined }>;
  copy(databaseUrl: string): Promise<void>;
}

interface Contestant {
  readonly count: number;
  readonly server: Server;
  readonly people: readonly Person[];
  readonly p50: number[];
  readonly p99: number[];
  readonly values: Record<string, number>;
}

const onStep = startProgress();
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "10000000" },
    engine: { type: "string" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
    "rpc-url": { type: "string" },
    source: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const count = Number(values.count);
if (!Number.isInteger(count) || count <= small) {
  throw new Error(`--count takes a whole number above ${small}, not ${values.count}.`);
}
const { options } = readCommand(
  [
    "none",
    ...["--seconds", values.seconds, "--rounds", values.rounds, "--warm-up", "1"],
    ...(values["rpc-url"] === undefined ? [] : ["--rpc-url", values["rpc-url"]]),
    ...(values.source ? ["--source"] : []),
  ],
  onStep,
);

const stage = await setStage(options, { people: 1, pinned: false });
try {
  const all: Record<string, () => Promise<Engine>> = { sqlite, postgres };
  const chosen = Object.entries(all).filter(
    ([name]) => values.engine === undefined || values.engine === name,
  );
  if (chosen.length === 0) throw new Error(`--engine takes sqlite or postgres, not ${values.engine}.`);
  const rows: Row[] = [];
  const targets: Target[] = [];
  for (const [, open] of chosen) {
    const engine = await open();
    const contestants: Contestant[] = [];
    for (const size of [small, count]) contestants.push(await fill(engine, size));
    await measure(contestants, options);
    for (const each of contestants) rows.push(describe(engine, each));
    const [first = Number.NaN, second = Number.NaN] = contestants.map(({ p50 }) => median(p50));
    targets.push(
      target(
        `${engine.name}: p50 no longer by a quarter`,
        second / first,
        { atMost: 1.25 },
        (ratio) => `${formatNumber(ratio, 2)} times that of ${formatNumber(small, 0)}`,
      ),
    );
    for (const { server } of contestants) await server.stop();
  }
  const report: ScenarioReport = {
    title: `With ${formatNumber(count, 0)} credentials`,
    measured: new Date().toISOString().slice(0, 10),
    machine: await describeMachine(undefined),
    notes: [
      ...stage.notes,
      `One request at a time, ${options.rounds} rounds of ${options.seconds} s in turn, of up to ${formatNumber(asked, 0)} people in turn.`,
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
  conclude(report, values.json);
} finally {
  await stage.close();
}

async function sqlite(): Promise<Engine> {
  let stores = 0;
  return {
    name: "SQLite",
    createDatabase: async () => `file:${join(stage.setting.folder, `filled-${++stores}.sqlite`)}`,
    size: async (databaseUrl) => ({ rows: statSync(databaseUrl.slice(5)).size, index: undefined }),
    async copy(databaseUrl) {
      const copy = `${databaseUrl.slice(5)}.copy`;
      await backUpStore(databaseUrl, copy);
      rmSync(copy);
    },
  };
}

async function postgres(): Promise<Engine> {
  const server = await sharedPostgres();
  return {
    name: "PostgreSQL",
    createDatabase: () => server.createDatabase(),
    size: (databaseUrl) =>
      withClient(databaseUrl, async (client) => {
        const { rows } = await client.query<{ rows: string; index: string }>(
          "select pg_table_size('credentials') as rows, pg_indexes_size('credentials') as index",
        );
        return { rows: Number(rows[0]?.rows), index: Number(rows[0]?.index) };
      }),
    // What pg_dump reads, and no more: the npm package has no pg_dump.
    copy: (databaseUrl) =>
      withClient(databaseUrl, async (client) => {
        await client.query("copy credentials to '/dev/null'");
      }),
  };
}

/** A service over a store of a size. */
async function fill(engine: Engine, size: number): Promise<Contestant> {
  options.onStep(`${engine.name}: writing ${formatNumber(size, 0)} credentials`);
  const databaseUrl = await engine.createDatabase();
  const people = createPeople(Math.min(size, asked));
  const filled = await time(async () => {
    await fillStore(databaseUrl, { ...stage.setting, people });
    await addStrangers(databaseUrl, size - people.length, options.onStep);
  });
  const { rows, index } = await engine.size(databaseUrl);
  const copied = await time(() => engine.copy(databaseUrl));
  const server = await stage.startService({
    name: `service-${engine.name}-${size}`,
    databaseUrl,
    isFilled: true,
    people,
  });
  const sizes = { rowBytes: rows / size, ...(index !== undefined && { indexBytes: index / size }) };
  return { count: size, server, people, p50: [], p99: [], values: { filled, copied, ...sizes } };
}

/** Asks each service in turn, one request at a time. */
async function measure(contestants: readonly Contestant[], { rounds, seconds }: Options): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const { count: size, server, people, p50, p99 } of round % 2 === 0
      ? contestants
      : contestants.toReversed()) {
      options.onStep(`Round ${round + 1}: ${formatNumber(size, 0)} credentials`);
      const { chain } = stage.setting;
      const requests = signRequests(asked, { people, chain, consumers: chain.consumers });
      const outcome = await stage.load(server, { kind: "idle", pause: 1 }, { requests, seconds });
      p50.push(outcome.p50);
      p99.push(outcome.p99);
    }
  }
  for (const { server, values: measured } of contestants) {
    const labels = 'operation="find",outcome="done"';
    const found = await readHistogram(server.url, "identity_store_call_duration_seconds", labels);
    measured.find = meanBetween({ seconds: 0, count: 0 }, found);
  }
}

function describe({ name }: Engine, { count: size, p50, p99, values: measured }: Contestant): Row {
  const latency = { p50: median(p50), p99: median(p99) };
  return { name: `${name}, ${formatNumber(size, 0)}`, values: { ...latency, ...measured } };
}

/** In seconds. */
async function time(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1_000;
}
