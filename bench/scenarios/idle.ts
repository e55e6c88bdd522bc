import type { Environment } from "../environment/environment.ts";
import type { Server } from "../environment/servers.ts";
import { meanBetween, readHistogram } from "../load/usage.ts";
import type { Options } from "../options.ts";
import { type Measured, type Row, target, words } from "../report/report.ts";
import { contestants, type Letter, type Servers, warmUp } from "./compare.ts";

/** Milliseconds after which nothing that was read of the chain is kept. */
const silence = 1_500;

/** One request at a time: after a silence, and soon after another. */
export async function idle(environment: Environment, options: Options): Promise<Measured> {
  const servers: Servers = {
    a: await environment.startRival("express-viem"),
    d: await environment.startService({ name: "service" }),
    o: await environment.startService({ name: "service-unaudited", audit: "off" }),
  };
  const rows: Row[] = [];
  for (const [letter, server] of Object.entries(servers) as [Letter, Server][]) {
    options.onStep(`One at a time: ${contestants[letter]}`);
    const requests = environment.sign(options.wallets);
    const run = (pause: number, seconds: number) =>
      environment.load(server, { kind: "idle", pause }, { requests, seconds });
    await warmUp(environment, server, options, requests);
    const atNode = () =>
      letter === "a" ? undefined : readHistogram(server.url, "identity_chain_round_trip_duration_seconds");
    const before = await atNode();
    const seldom = await run(silence, options.seconds * options.rounds);
    const after = await atNode();
    const often = await run(20, options.seconds);
    rows.push({
      name: contestants[letter],
      values: {
        seldom: seldom.p50,
        seldomSlowest: seldom.longest,
        ...(after && { node: meanBetween(before, after) }),
        often: often.p50,
        oftenP99: often.p99,
        checked: seldom.checked + often.checked,
      },
    });
  }
  const [, audited = Number.NaN, unaudited = Number.NaN] = rows.map(
    ({ values: { seldom = Number.NaN, node = Number.NaN } }) => seldom - node,
  );
  return {
    notes: [
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
        unaudited,
        { under: 3 },
        words("ms", 2),
      ),
      target("The audit trail adds under 5 ms to it", audited - unaudited, { under: 5 }, words("ms", 2)),
    ],
  };
}
