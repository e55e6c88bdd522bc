import { setTimeout as delay } from "node:timers/promises";
import { sharedPostgres } from "../../test/fixtures/signer/postgres.ts";
import type { Environment } from "../environment/environment.ts";
import type { Server } from "../environment/servers.ts";
import type { Pace } from "../load/task.ts";
import { collectHeap, countOpen, inspected, readUsage } from "../load/usage.ts";
import type { Options } from "../options.ts";
import { judgeGrowth, type Sample, summarise, takeThirds } from "../report/growth.ts";
import { formatNumber, type Measured, target, words } from "../report/report.ts";

/** Requests of one slice: few enough to be sent within the ten minutes that a message lasts. */
const sliceLimit = 20_000;
/** One request of `memory` in so many is for a consumer that was not asked for lately. */
const rarely = 10;

/** Full load on a service that has seen ten thousand consumers, for a long time. */
export async function memory(environment: Environment, options: Options): Promise<Measured> {
  const { requests: wanted, connections } = options;
  const { consumers } = environment.chain;
  const server = await environment.startService({ name: "service", nodeArgs: inspected });
  options.onStep(`Asking for each of ${formatNumber(consumers.length, 0)} consumers`);
  const once = { requests: environment.sign(consumers.length, { consumers }), atMost: consumers.length };
  await environment.load(server, { kind: "closed" }, { ...once, seconds: 600 });
  const popular = consumers.slice(0, 16);
  const length = Math.min(sliceLimit, Math.ceil(wanted / 10));
  const choose = (i: number, checked: number) =>
    i % rarely === 0
      ? consumers[Math.floor((checked + i) / rarely) % consumers.length]
      : popular[i % popular.length];
  const measured = await measureGrowth(environment, options, server, { kind: "closed" }, (checked) => {
    if (checked >= wanted) return undefined;
    const asked = Array.from({ length }, (_, i) => choose(i, checked) ?? "");
    return { requests: environment.sign(length, { consumers: asked }), atMost: length, seconds: 300 };
  });
  const largest = Math.max(...measured.rows.map(({ values }) => values.resident ?? Number.NaN));
  return {
    ...measured,
    notes: [
      `${measured.notes} One in ${rarely} requests for the next of ${formatNumber(consumers.length, 0)} consumers, the others for ${popular.length} popular ones, over ${connections} connections.`,
    ],
    targets: [target("Under 200 MB resident", largest, { under: 200 }, words("MB", 0)), ...measured.targets],
  };
}

/** Half of full load, for many minutes. */
export async function soak(environment: Environment, options: Options): Promise<Measured> {
  const { minutes, engine = "postgres", wallets, connections } = options;
  const databaseUrl = engine === "postgres" ? await (await sharedPostgres()).createDatabase() : undefined;
  const server = await environment.startService({ name: "service", databaseUrl, nodeArgs: inspected });
  /** Slices are short enough that no message gets too old, and that a short run has enough of them, too. */
  const slices = Math.max(10, Math.ceil(minutes));
  const seconds = (minutes * 60) / slices;
  options.onStep("Full load");
  const work = { requests: environment.sign(wallets * 8), seconds: Math.min(10, seconds) };
  const full = await environment.load(server, { kind: "closed" }, work);
  const rate = full.checked / full.seconds / 2;
  let slice = 0;
  const measured = await measureGrowth(environment, options, server, { kind: "open", rate }, () =>
    slice++ < slices
      ? { requests: environment.sign(Math.ceil(Math.min(sliceLimit, rate * seconds))), seconds }
      : undefined,
  );
  return {
    ...measured,
    notes: [
      `${formatNumber(rate, 0)} requests/s for ${minutes} minutes over ${connections} connections; the store is ${engine}.`,
      ...measured.notes,
    ],
  };
}

/** Sends one slice of requests after the other, until there is none, and looks what the service takes. */
async function measureGrowth(
  environment: Environment,
  { onStep }: Options,
  server: Server,
  pace: Pace,
  next: (checked: number) => Parameters<Environment["load"]>[2] | undefined,
): Promise<Measured> {
  const samples: Sample[] = [];
  let [checked, overloaded, seconds] = [0, 0, 0];
  for (let work = next(0); work !== undefined; work = next(checked)) {
    const looks: Sample[] = [];
    const over = new AbortController();
    const looking = (async () => {
      do looks.push({ resident: readUsage(server.pid).residentBytes, heap: 0, ...countOpen(server.pid) });
      while (await delay(1_000, true, { signal: over.signal }).catch(() => false));
    })();
    const outcome = await environment.load(server, pace, { ...work, mayBeOverloaded: true });
    over.abort();
    await looking;
    const heap = await collectHeap(server.output());
    const sample = { ...summarise(looks), heap };
    samples.push(sample);
    checked += outcome.checked;
    overloaded += outcome.overloaded;
    seconds += outcome.seconds;
    onStep(`${formatNumber(checked, 0)} answers, ${formatNumber(sample.resident / 1e6, 0)} MB resident`);
  }
  const thirds = takeThirds(samples);
  return {
    notes: [
      `${formatNumber(checked, 0)} answers, ${formatNumber(checked / seconds, 0)} a second, each of them checked; ${formatNumber(overloaded, 0)} more were refused as overloaded.`,
    ],
    columns: [
      { key: "resident", heading: "resident at most, MB", digits: 1 },
      { key: "heap", heading: "heap, collected, MB", digits: 1 },
      { key: "sockets", heading: "sockets at most", digits: 0 },
      { key: "files", heading: "files at most", digits: 0 },
    ],
    rows: thirds.map(({ name, sample: { resident, heap, sockets, files } }) => ({
      name,
      values: { resident: resident / 1e6, heap: heap / 1e6, sockets, files },
    })),
    targets: judgeGrowth(thirds),
  };
}
