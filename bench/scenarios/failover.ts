import { setTimeout as delay } from "node:timers/promises";
import { type Attempt, describeAttempts, measureOutage } from "../checks/attempts.ts";
import { type Cluster, startCluster } from "../cluster/cluster.ts";
import type { Environment } from "../environment/environment.ts";
import type { Options } from "../environment/options.ts";
import type { Process } from "../environment/process.ts";
import { type Column, formatNumber, type Measured, type Row, type Target, target } from "../report/report.ts";

/** The longest permitted outage. */
const longestOutageMs = 60_000;

/** Kills the primary of a replicated database repeatedly, while a service that uses it is under load. */
export async function failover(environment: Environment, options: Options): Promise<Measured> {
  const { kills, grace, onStep } = options;
  const cluster = await startCluster(environment, onStep);
  const { database } = cluster;
  const rows: Row[] = [];
  for (let i = 1; i <= kills; i++) {
    await database.settled();
    const primary = await findPrimary(cluster);
    const since = performance.now();
    await primary.stop("SIGKILL");
    await findPrimary(cluster, primary);
    await recovered(cluster, since);
    const killed = performance.now();
    await primary.start();
    await database.settled();
    const rejoined = inSeconds(performance.now() - killed);
    await recovered(cluster, since);
    rows.push({ name: `${i}`, values: { ...describeCluster(cluster, since), rejoined } });
    onStep(`${i} of ${kills}: ${JSON.stringify(rows.at(-1)?.values)}`);
  }
  const later = rows.map(
    ({ values: { database: away = 0, reads = 0, writes = 0 } }) => Math.max(reads, writes) - away,
  );
  return {
    notes: [describeAttempts],
    columns: [
      { key: "database", heading: "database away (s)", digits: 1 },
      ...away,
      { key: "rejoined", heading: "node back after (s)", digits: 1 },
      ...counted,
    ],
    rows,
    areTrials: true,
    targets: [
      ...(await judgeCluster(cluster)),
      target(
        `The service is back within ${grace} s of the database`,
        Math.max(...later),
        { atMost: grace },
        (seconds) => `${formatNumber(seconds, 1)} s at most`,
      ),
      target(
        "Every killed node rejoins",
        rows.length,
        { atLeast: kills },
        (rejoined) => `${rejoined} of ${kills}`,
      ),
    ],
  };
}

const kinds = ["database", "reads", "writes"] as const;

/** Measures the outages since a moment, in milliseconds; undefined for one that still lasts. */
const measureOutages = ({ attempts }: Cluster, since: number) =>
  kinds.map((kind) => {
    const some = attempts.all.filter(({ of }) => of === kind);
    return [kind, measureOutage(some, since)] as const;
  });

/** Returns seconds, rounded to a tenth. */
const inSeconds = (milliseconds: number) => Math.round(milliseconds / 100) / 10;

/** Resolves when all outages are over. @throws Error when one lasts too long. */
async function recovered(cluster: Cluster, since: number): Promise<void> {
  for (;;) {
    const outages = measureOutages(cluster, since).filter(([, outage]) => outage === undefined);
    if (outages.length === 0) return;
    if (performance.now() - since > longestOutageMs) {
      throw new Error(`Still away after a minute: ${outages.map(([name]) => name).join(", ")}.`);
    }
    await delay(200);
  }
}

/** Returns the primary, as soon as a node says that it is the primary; never the former one, if given. */
async function findPrimary({ database }: Cluster, former?: Process): Promise<Process> {
  for (const end = performance.now() + longestOutageMs; performance.now() < end; await delay(200)) {
    const primary = await database.findPrimary();
    if (primary !== undefined && primary !== former) return primary;
  }
  throw new Error(`No ${former ? "other " : ""}node says that it is the primary.`);
}

const away: readonly Column[] = [
  { key: "reads", heading: "verifications away (s)", digits: 1 },
  { key: "writes", heading: "writes away (s)", digits: 1 },
];
const counted: readonly Column[] = [
  { key: "issued", heading: "verifications", digits: 0 },
  { key: "away", heading: "503", digits: 0 },
  { key: "written", heading: "written", digits: 0 },
  { key: "unwritten", heading: "not written", digits: 0 },
];

/** Returns the outages since a moment, in seconds, and the numbers of answers and writes. */
function describeCluster(cluster: Cluster, since: number): Record<string, number> {
  const within = cluster.attempts.all.filter(({ done }) => done >= since);
  const count = (of: Attempt["of"], kind: string) =>
    within.filter((attempt) => attempt.of === of && attempt.result.kind === kind).length;
  return {
    ...Object.fromEntries(measureOutages(cluster, since).map(([name, time = 0]) => [name, inSeconds(time)])),
    issued: count("reads", "done"),
    away: count("reads", "away"),
    written: count("writes", "done"),
    unwritten: count("writes", "away"),
  };
}

/** Judges the promises that hold for every trial. */
async function judgeCluster({ attempts, writes }: Cluster): Promise<Target[]> {
  await attempts.stop();
  const wrong = attempts.all.filter(({ result }) => result.kind === "wrong");
  for (const { of, result } of wrong.slice(0, 10)) console.error(`${of}: ${result.problem}`);
  const reads = attempts.all.filter(({ of }) => of === "reads").length;
  const lost = await writes.findLost();
  for (const wallet of lost.slice(0, 10))
    console.error(`The store does not have the acknowledged credential of ${wallet}.`);
  return [
    target(
      "Every answer is right, or 503 with Retry-After",
      wrong.length,
      { atMost: 0 },
      (count) => `${count} wrong of ${reads}`,
    ),
    target(
      "No acknowledged write is lost",
      lost.length,
      { atMost: 0 },
      (count) => `${count} lost of ${writes.count()}`,
    ),
  ];
}
