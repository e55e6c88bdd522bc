import { join } from "node:path";
import type { Options } from "../options.ts";
import { median } from "../quantile.ts";
import { formatNumber, type Measured, target } from "../report/report.ts";
import { createPeople, signRequests } from "../stage/people.ts";
import { fillStore, type Server } from "../stage/servers.ts";
import { type Stage, setStage } from "../stage/stage.ts";
import { addStrangers } from "../stage/strangers.ts";

/** So many of a store's credentials are asked for, each in its turn: more than a cache holds. */
const asked = 10_000;

/** The same service over stores of very different sizes, in turn. */
export async function flat(options: Options): Promise<Measured> {
  const stage = await setStage(options, { people: 1 });
  try {
    const contestants: {
      count: number;
      server: Server;
      requests: ReturnType<typeof signRequests>;
      rates: number[];
    }[] = [];
    const { chain } = stage.setting;
    for (const count of options.credentials) {
      const people = createPeople(Math.min(count, asked));
      options.onStep(`Writing ${formatNumber(count, 0)} credentials`);
      const databaseUrl = `file:${join(stage.setting.folder, `${count}.sqlite`)}`;
      await fillStore(databaseUrl, { ...stage.setting, people });
      await addStrangers(databaseUrl, count - people.length, options.onStep);
      const server = await stage.startService({
        name: `service-${count}`,
        databaseUrl,
        isFilled: true,
        people,
      });
      const requests = signRequests(asked, { people, chain, consumers: chain.consumers });
      contestants.push({ count, server, requests, rates: [] });
    }
    for (let round = 0; round < options.rounds; round++) {
      const order = round % 2 === 0 ? contestants : contestants.toReversed();
      for (const { count, server, requests, rates } of order) {
        options.onStep(`Round ${round + 1}: ${formatNumber(count, 0)} credentials`);
        rates.push(await measure(stage, server, requests, options, round === 0));
      }
    }
    const [first] = contestants;
    if (first === undefined) throw new Error("No store is to be measured.");
    // Of each round: from one to the next, the machine itself may be a third quicker.
    const ofFirst = contestants.map(({ rates }) =>
      median(rates.map((rate, round) => rate / (first.rates[round] ?? Number.NaN))),
    );
    const spread = 1 - Math.min(...ofFirst) / Math.max(...ofFirst);
    return {
      notes: [
        ...stage.notes,
        `${options.rounds} rounds of ${options.seconds} s at full load; ${formatNumber(asked, 0)} requests of as many people (or all of them) in turn.`,
      ],
      columns: [
        { key: "requestsPerSecond", heading: "requests/s", digits: 0 },
        { key: "ofFirst", heading: "× the first, round by round", digits: 2 },
      ],
      rows: contestants.map(({ count, rates }, i) => ({
        name: `${formatNumber(count, 0)} credentials`,
        values: { requestsPerSecond: median(rates), ofFirst: ofFirst[i] ?? Number.NaN },
      })),
      targets: [
        target("Within 10 %", spread, { under: 0.1 }, (value) => `${formatNumber(value * 100, 1)} % apart`),
      ],
    };
  } finally {
    await stage.close();
  }
}

async function measure(
  stage: Stage,
  server: Server,
  requests: ReturnType<typeof signRequests>,
  { seconds, warmUp }: Options,
  isFirst: boolean,
): Promise<number> {
  await stage.load(server, { kind: "closed" }, { requests, seconds: isFirst ? warmUp : Math.min(1, warmUp) });
  const { checked, seconds: took } = await stage.load(server, { kind: "closed" }, { requests, seconds });
  return checked / took;
}
