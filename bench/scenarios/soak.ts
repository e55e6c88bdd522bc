import { setTimeout as delay } from "node:timers/promises";
import type { Environment } from "../environment/environment.ts";
import { collectHeap, countOpen, inspected, readUsage } from "../load/usage.ts";
import type { Options } from "../options.ts";
import { judgeGrowth, type Sample, summarise, takeThirds } from "../report/growth.ts";
import { formatNumber, type Measured, target } from "../report/report.ts";

/** The greatest number of requests in a slice: few enough to be sent while a message is valid, for ten minutes. */
const sliceLimit = 20_000;
/** One of this many requests is for a consumer without recent requests. */
const rarely = 10;

/** Runs a service that has seen many consumers at half of full load, for many minutes. */
export async function soak(environment: Environment, options: Options): Promise<Measured> {
  const { minutes, databaseUrl, wallets, onStep } = options;
  const { consumers } = environment.chain;
  const server = await environment.startService({ name: "service", databaseUrl, nodeArgs: inspected });
  onStep(`Asking for each of ${formatNumber(consumers.length, 0)} consumers`);
  const each = { requests: environment.sign(consumers.length, { consumers }), atMost: consumers.length };
  await environment.load(server, { kind: "closed" }, { ...each, seconds: 600 });
  /** Slices are short, so that no message gets too old and even a short run has enough of them. */
  const slices = Math.max(10, Math.ceil(minutes));
  const seconds = (minutes * 60) / slices;
  onStep("Full load");
  const full = await environment.load(
    server,
    { kind: "closed" },
    { requests: environment.sign(wallets * 8), seconds: Math.min(10, seconds), mayBeOverloaded: true },
  );
  const rate = full.checked / full.seconds / 2;
  const length = Math.ceil(Math.min(sliceLimit, rate * seconds));

  const samples: Sample[] = [];
  let [checked, overloaded] = [0, 0];
  for (let slice = 0; slice < slices; slice++) {
    const asked = Array.from({ length }, (_, i) => consumers[chooseConsumer(i, checked, consumers.length)]);
    const requests = environment.sign(length, { consumers: asked as string[] });
    const { found, sample } = await watch(server.pid, () =>
      environment.load(server, { kind: "open", rate }, { requests, seconds, mayBeOverloaded: true }),
    );
    samples.push({ ...sample, heap: await collectHeap(server.output()) });
    checked += found.checked;
    overloaded += found.overloaded;
    onStep(`${formatNumber(checked, 0)} answers, ${formatNumber(sample.resident / 1e6, 0)} MB resident`);
  }
  const thirds = takeThirds(samples);
  const { resident: largest } = summarise(thirds);
  return {
    notes: [
      `${formatNumber(rate, 0)} requests/s for ${minutes} minutes; the store is ${databaseUrl ? "PostgreSQL" : "SQLite"}. One request in ${rarely} is for the next of ${formatNumber(consumers.length, 0)} consumers, the others are for 16 popular ones.`,
      `${formatNumber(checked, 0)} answers, each of them checked; ${formatNumber(overloaded, 0)} more were refused as overloaded.`,
    ],
    columns: [
      { key: "resident", heading: "resident at most, MB", digits: 1 },
      { key: "heap", heading: "heap, collected, MB", digits: 1 },
      { key: "sockets", heading: "sockets at most", digits: 0 },
      { key: "files", heading: "files at most", digits: 0 },
    ],
    rows: thirds.map(({ resident, heap, sockets, files }, i) => ({
      name: ["First third", "Second third", "Last third"][i] ?? "",
      values: { resident: resident / 1e6, heap: heap / 1e6, sockets, files },
    })),
    targets: [
      target(
        "Under 200 MB resident",
        largest / 1e6,
        { under: 200 },
        (value) => `${formatNumber(value, 0)} MB`,
      ),
      ...judgeGrowth(thirds),
    ],
  };
}

const chooseConsumer = (i: number, checked: number, count: number) =>
  i % rarely === 0 ? Math.floor((checked + i) / rarely) % count : i % Math.min(16, count);

/** Reads a process's usage every second while work is done. */
async function watch<Found>(
  pid: number,
  work: () => Promise<Found>,
): Promise<{ found: Found; sample: Sample }> {
  const looks: Sample[] = [];
  const over = new AbortController();
  const looking = (async () => {
    do looks.push({ resident: readUsage(pid).residentBytes, heap: 0, ...countOpen(pid) });
    while (await delay(1_000, true, { signal: over.signal }).catch(() => false));
  })();
  const found = await work();
  over.abort();
  await looking;
  return { found, sample: summarise(looks) };
}
