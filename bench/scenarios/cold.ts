import type { Options } from "../options.ts";
import { median } from "../quantile.ts";
import { formatNumber, type Measured, target } from "../report/report.ts";
import { signRequests } from "../stage/people.ts";
import { setStage } from "../stage/stage.ts";

/** Every request for a consumer that was never asked for: as many of them as there are, in equal parts over the rounds. */
export async function cold(options: Options): Promise<Measured> {
  const { rounds, seconds, warmUp, consumers: count } = options;
  const stage = await setStage(options, { consumers: count + 1 });
  try {
    const { people, chain } = stage.setting;
    const [first = "", ...unknown] = chain.consumers;
    const servers = {
      "(a) Express + viem": await stage.startRival("express-viem"),
      "(d) this service": await stage.startService({ name: "service" }),
    };
    const warm = signRequests(people.length, { people, chain, consumers: [first] });
    const measured = new Map(
      Object.keys(servers).map((name) => [name, { rates: [0], cpu: [0], checked: 0 }]),
    );
    for (const each of measured.values()) Object.assign(each, { rates: [], cpu: [] });
    const share = Math.floor(unknown.length / rounds);
    for (let round = 0; round < rounds; round++) {
      const consumers = unknown.slice(round * share, (round + 1) * share);
      const turn = Object.entries(servers);
      for (const [name, server] of round % 2 === 0 ? turn : turn.reverse()) {
        options.onStep(`Round ${round + 1}: ${name}`);
        const warmUpSeconds = round === 0 ? warmUp : Math.min(1, warmUp);
        await stage.load(server, { kind: "closed" }, { requests: warm, seconds: warmUpSeconds });
        const requests = signRequests(share, { people, chain, consumers });
        // All of them once: it ends when they have been asked for, however long that takes.
        const limits = { seconds: Math.max(60, seconds), atMost: share };
        const outcome = await stage.load(server, { kind: "closed" }, { requests, ...limits });
        const found = measured.get(name);
        found?.rates.push(outcome.checked / outcome.seconds);
        found?.cpu.push((outcome.cpuSeconds / outcome.checked) * 1e6);
        if (found !== undefined) found.checked += outcome.checked;
      }
    }
    const rows = [...measured].map(([name, { rates, cpu, checked }]) => ({
      name,
      values: { requestsPerSecond: median(rates), cpuMicroseconds: median(cpu), checked },
    }));
    const [viem, own] = rows.map(({ values }) => values.requestsPerSecond);
    return {
      notes: [
        ...stage.notes,
        `${formatNumber(share * rounds, 0)} consumers once each, in ${rounds} rounds, over ${options.connections} connections; ${options.wallets} wallets.`,
      ],
      columns: [
        { key: "requestsPerSecond", heading: "requests/s", digits: 0 },
        { key: "cpuMicroseconds", heading: "CPU per request, µs", digits: 0 },
        { key: "checked", heading: "answers checked", digits: 0 },
      ],
      rows,
      targets: [
        target(
          "At least what (a) does",
          (own ?? Number.NaN) / (viem ?? Number.NaN),
          { atLeast: 1 },
          (value) => `${formatNumber(value, 2)} times`,
        ),
      ],
    };
  } finally {
    await stage.close();
  }
}
