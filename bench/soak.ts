// Has a service at half of its full load for long, and looks whether it takes more and more: memory, sockets, files.
//
//   node bench/soak.ts [--minutes 30] [--engine postgres|sqlite] [--rate <requests a second>] [--source] [--json]
//
// After a fifth of the time, which is warm-up, the last third is held against the first. Ends with 1 where something grew.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sharedPostgres } from "../test/fixtures/signer/postgres.ts";
import { collectHeap, inspected } from "./load/heap.ts";
import { countOpen, readUsage } from "./load/usage.ts";
import { readCommand } from "./options.ts";
import { startProgress } from "./progress.ts";
import { judgeGrowth, type Sample, summarise, takeThirds } from "./report/growth.ts";
import { conclude } from "./report/print.ts";
import { formatNumber, type ScenarioReport } from "./report/report.ts";
import { describeMachine } from "./stage/machine.ts";
import { signRequests } from "./stage/people.ts";
import type { Server } from "./stage/servers.ts";
import { setStage } from "./stage/stage.ts";

const onStep = startProgress();
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    engine: { type: "string", default: "postgres" },
    rate: { type: "string" },
    "rpc-url": { type: "string" },
    source: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes takes a number above 0, not ${values.minutes}.`);
if (values.rate !== undefined && !(Number(values.rate) > 0)) {
  throw new Error(`--rate takes a number above 0, not ${values.rate}.`);
}
if (values.engine !== "postgres" && values.engine !== "sqlite") {
  throw new Error(`--engine takes postgres or sqlite, not ${values.engine}.`);
}
/** Slices are short enough that no message gets too old, and that a short run has enough of them, too. */
const slices = Math.max(10, Math.ceil(minutes));
const seconds = (minutes * 60) / slices;
const { options } = readCommand(
  [
    "none",
    ...(values["rpc-url"] === undefined ? [] : ["--rpc-url", values["rpc-url"]]),
    ...(values.source ? ["--source"] : []),
  ],
  onStep,
);

const stage = await setStage(options, { pinned: false });
try {
  const databaseUrl =
    values.engine === "sqlite" ? undefined : await (await sharedPostgres()).createDatabase();
  const server = await stage.startService({ name: "service", databaseUrl, nodeArgs: inspected });
  const { people, chain } = stage.setting;
  const sign = (count: number) => signRequests(count, { people, chain, consumers: chain.consumers });
  const rate = values.rate === undefined ? await findHalf() : Number(values.rate);
  const samples: Sample[] = [];
  let checked = 0;
  /** Half of the requests a second that it answers at full load. */
  async function findHalf(): Promise<number> {
    onStep("Full load");
    const work = { requests: sign(2_000), seconds: Math.min(10, seconds) };
    const full = await stage.load(server, { kind: "closed" }, work);
    return full.checked / full.seconds / 2;
  }
  for (let slice = 0; slice < slices; slice++) {
    const requests = sign(Math.ceil(Math.min(20_000, rate * seconds)));
    const sampling = watch(server);
    const outcome = await stage.load(server, { kind: "open", rate }, { requests, seconds });
    samples.push(await sampling.end());
    checked += outcome.checked;
    onStep(`${formatNumber(checked, 0)} answers: ${tell(samples.at(-1))}`);
  }
  const thirds = takeThirds(samples);
  const targets = judgeGrowth(thirds);
  const report: ScenarioReport = {
    title: `${formatNumber(minutes, minutes < 1 ? 1 : 0)} minutes at ${values.rate === undefined ? "half load" : "a steady load"}`,
    measured: new Date().toISOString().slice(0, 10),
    machine: await describeMachine(undefined),
    notes: [
      ...stage.notes,
      `${formatNumber(rate, 0)} requests/s over ${options.connections} connections; the store is ${values.engine === "sqlite" ? "SQLite" : "PostgreSQL"}. ${formatNumber(checked, 0)} answers, each of them checked.`,
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
    targets,
  };
  conclude(report, values.json);
} finally {
  await stage.close();
}

/** Looks at a service several times until it is told to end. */
function watch({ pid, output }: Server) {
  const looks: Sample[] = [];
  let isOver = false;
  const look = () => {
    looks.push({ resident: readUsage(pid).residentBytes, heap: 0, ...countOpen(pid) });
  };
  const looking = (async () => {
    do {
      look();
      await delay(Math.min(1_000, (seconds / 5) * 1_000));
    } while (!isOver);
  })();
  return {
    async end(): Promise<Sample> {
      isOver = true;
      await looking;
      return { ...summarise(looks), heap: await collectHeap(output()) };
    },
  };
}

function tell(sample: Sample | undefined): string {
  if (sample === undefined) return "";
  const { resident, heap, sockets, files } = sample;
  const megabytes = (bytes: number) => `${formatNumber(bytes / 1e6, 0)} MB`;
  return `${megabytes(resident)} resident, ${megabytes(heap)} of heap after a collection, ${sockets} sockets, ${files} files`;
}
