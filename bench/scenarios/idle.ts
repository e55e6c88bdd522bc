import { meanBetween, readHistogram } from "../load/histogram.ts";
import type { Options } from "../options.ts";
import { formatNumber, type Measured, type Row, target } from "../report/report.ts";
import { signRequests } from "../stage/people.ts";
import { setStage } from "../stage/stage.ts";

/** Milliseconds after which nothing that was read of the chain is kept. */
const silence = 1_500;

const rival = "(a) Express + viem";
const ours = "(d) this service";
const unaudited = "(o) this service, no audit trail";

/** One request at a time: after a silence, and soon after another. */
export async function idle(options: Options): Promise<Measured> {
  const stage = await setStage(options);
  try {
    const { people, chain } = stage.setting;
    const servers = {
      [rival]: await stage.startRival("express-viem"),
      [ours]: await stage.startService({ name: "service" }),
      [unaudited]: await stage.startService({ name: "service-unaudited", audit: "off" }),
    };
    const rows: Row[] = [];
    for (const [name, server] of Object.entries(servers)) {
      options.onStep(`One at a time: ${name}`);
      const isOurs = name !== rival;
      const requests = signRequests(people.length, { people, chain, consumers: chain.consumers });
      const run = (pause: number, seconds: number) =>
        stage.load(server, { kind: "idle", pause }, { requests, seconds });
      await stage.load(server, { kind: "closed" }, { requests, seconds: options.warmUp });
      const atNode = () => readHistogram(server.url, "identity_chain_round_trip_duration_seconds");
      const before = isOurs ? await atNode() : undefined;
      const seldom = await run(silence, options.seconds * options.rounds);
      const node = before && meanBetween(before, await atNode());
      const often = await run(20, options.seconds);
      rows.push({
        name,
        values: {
          seldom: seldom.p50,
          seldomSlowest: seldom.longest,
          ...(node !== undefined && { node }),
          often: often.p50,
          oftenP99: often.p99,
          checked: seldom.checked + often.checked,
        },
      });
    }
    const besideNode = (name: string) => {
      const { seldom = Number.NaN, node = Number.NaN } = rows.find((row) => row.name === name)?.values ?? {};
      return seldom - node;
    };
    const milliseconds = (value: number) => `${formatNumber(value, 2)} ms`;
    return {
      notes: [
        ...stage.notes,
        `One request at a time over one connection, ${silence} ms after the answer before, when nothing that was read of the chain is kept, and 20 ms after it.`,
      ],
      columns: [
        { key: "seldom", heading: "after a silence, p50, ms", digits: 2 },
        { key: "seldomSlowest", heading: "slowest, ms", digits: 2 },
        { key: "node", heading: "of it at the node, ms", digits: 2 },
        { key: "often", heading: "every 20 ms, p50, ms", digits: 2 },
        { key: "oftenP99", heading: "p99, ms", digits: 2 },
        { key: "checked", heading: "answers checked", digits: 0 },
      ],
      rows,
      targets: [
        target(
          "One request after a silence under 3 ms, beside what the node takes, without the audit trail",
          besideNode(unaudited),
          { under: 3 },
          milliseconds,
        ),
        target(
          "The audit trail adds under 5 ms to it",
          besideNode(ours) - besideNode(unaudited),
          { under: 5 },
          milliseconds,
        ),
      ],
    };
  } finally {
    await stage.close();
  }
}
