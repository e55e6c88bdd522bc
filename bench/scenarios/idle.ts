import type { Options } from "../options.ts";
import { formatNumber, type Measured, type Row, target } from "../report/report.ts";
import { signRequests } from "../stage/people.ts";
import { setStage } from "../stage/stage.ts";

/** Milliseconds after which nothing that was read of the chain is kept. */
const silence = 1_500;

/** One request at a time: after a silence, and soon after another. */
export async function idle(options: Options): Promise<Measured> {
  const stage = await setStage(options);
  try {
    const { people, chain } = stage.setting;
    const servers = {
      "(a) Express + viem": await stage.startRival("express-viem"),
      "(d) this service": await stage.startService({ name: "service" }),
    };
    const rows: Row[] = [];
    for (const [name, server] of Object.entries(servers)) {
      options.onStep(`One at a time: ${name}`);
      const requests = signRequests(people.length, { people, chain, consumers: chain.consumers });
      const run = (pause: number, seconds: number) =>
        stage.load(server, { kind: "idle", pause }, { requests, seconds });
      await stage.load(server, { kind: "closed" }, { requests, seconds: options.warmUp });
      const seldom = await run(silence, options.seconds * options.rounds);
      const often = await run(20, options.seconds);
      rows.push({
        name,
        values: {
          seldom: seldom.p50,
          seldomSlowest: seldom.longest,
          often: often.p50,
          oftenP99: often.p99,
          checked: seldom.checked + often.checked,
        },
      });
    }
    const own = rows.at(-1)?.values ?? {};
    return {
      notes: [
        ...stage.notes,
        `One request at a time over one connection, ${silence} ms after the answer before, when nothing that was read of the chain is kept, and 20 ms after it.`,
      ],
      columns: [
        { key: "seldom", heading: "after a silence, p50, ms", digits: 2 },
        { key: "seldomSlowest", heading: "slowest, ms", digits: 2 },
        { key: "often", heading: "every 20 ms, p50, ms", digits: 2 },
        { key: "oftenP99", heading: "p99, ms", digits: 2 },
        { key: "checked", heading: "answers checked", digits: 0 },
      ],
      rows,
      targets: [
        target(
          "One request after a silence under 3 ms",
          own.seldom ?? Number.NaN,
          { under: 3 },
          (value) => `${formatNumber(value, 2)} ms`,
        ),
      ],
    };
  } finally {
    await stage.close();
  }
}
