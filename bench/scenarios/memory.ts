import type { Options } from "../options.ts";
import { median } from "../quantile.ts";
import { formatNumber, type Measured, target } from "../report/report.ts";
import { signRequests } from "../stage/people.ts";
import { setStage } from "../stage/stage.ts";

/** Requests of one measurement: few enough to be sent within the ten minutes that a message lasts. */
const slice = 20_000;

/** One request in so many is for a consumer that was not asked for lately. */
const rarely = 10;

/** Full load on a service that has seen ten thousand consumers, for a long time. */
export async function memory(options: Options): Promise<Measured> {
  const { connections, consumers: count, requests: wanted } = options;
  const stage = await setStage(options, { consumers: count });
  const started = performance.now();
  try {
    const { people, chain } = stage.setting;
    const server = await stage.startService({ name: "service" });
    options.onStep(`Asking for each of ${formatNumber(count, 0)} consumers`);
    const once = signRequests(count, { people, chain, consumers: chain.consumers });
    await stage.load(server, { kind: "closed" }, { requests: once, seconds: 600, atMost: count });

    const popular = chain.consumers.slice(0, 16);
    const resident: number[] = [];
    let checked = 0;
    let seconds = 0;
    while (checked < wanted) {
      const seldom = Math.floor(checked / rarely);
      const consumers = Array.from({ length: slice }, (_, i) => {
        const from = i % rarely === 0 ? chain.consumers : popular;
        return from[(i % rarely === 0 ? seldom + i / rarely : i) % from.length] ?? "";
      });
      const requests = signRequests(slice, { people, chain, consumers });
      const limits = { seconds: 300, atMost: Math.min(slice, wanted - checked) };
      const outcome = await stage.load(server, { kind: "closed" }, { requests, ...limits });
      resident.push(outcome.residentBytes / 1e6);
      checked += outcome.checked;
      seconds += outcome.seconds;
      options.onStep(`${formatNumber(checked, 0)} answers, ${formatNumber(resident.at(-1), 0)} MB`);
    }
    const quarter = Math.ceil(resident.length / 4);
    const early = median(resident.slice(0, 2 * quarter).slice(-quarter));
    const late = median(resident.slice(-quarter));
    const largest = Math.max(...resident);
    return {
      notes: [
        ...stage.notes,
        `${formatNumber(checked, 0)} requests over ${connections} connections in ${formatNumber((performance.now() - started) / 60_000, 1)} minutes; one in ${rarely} for the next of ${formatNumber(count, 0)} consumers, the others for ${popular.length} popular ones.`,
      ],
      columns: [
        { key: "largest", heading: "resident at most, MB", digits: 0 },
        { key: "early", heading: "in the second quarter, MB", digits: 0 },
        { key: "late", heading: "in the last quarter, MB", digits: 0 },
        { key: "requestsPerSecond", heading: "requests/s", digits: 0 },
        { key: "checked", heading: "answers checked", digits: 0 },
      ],
      rows: [
        {
          name: "(d) this service",
          values: { largest, early, late, requestsPerSecond: checked / seconds, checked },
        },
      ],
      targets: [
        target("Under 200 MB resident", largest, { under: 200 }, (value) => `${formatNumber(value, 0)} MB`),
        target(
          "No growth: the last quarter within 5 % of the second",
          late / early,
          { under: 1.05 },
          (value) => `${formatNumber(value, 3)} times`,
        ),
      ],
    };
  } finally {
    await stage.close();
  }
}
