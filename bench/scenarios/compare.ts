import type { Environment } from "../environment/environment.ts";
import type { Server } from "../environment/servers.ts";
import type { LoadOutcome } from "../load/task.ts";
import type { Options } from "../options.ts";
import { formatNumber, type Measured, median, target, words } from "../report/report.ts";
import { inTurn } from "./inTurn.ts";

/** Rows by their letters, which the report keeps. */
export const contestants = {
  a: "(a) Express + viem",
  b: "(b) Express + ethers + siwe",
  c: "(c) bare floor",
  d: "(d) this service",
  p: "(p) this service, PostgreSQL",
  o: "(o) this service, no audit trail",
} as const;

export type Letter = keyof typeof contestants;
export type Servers = Readonly<Partial<Record<Letter, Server>>>;

const times = words("times", 2);
const perSecond = ({ checked, seconds }: LoadOutcome) => checked / seconds;
const cpuMicroseconds = ({ cpuSeconds, checked }: LoadOutcome) => (cpuSeconds / checked) * 1e6;
const sum = (outcomes: readonly LoadOutcome[]) => outcomes.reduce((all, { checked }) => all + checked, 0);

/** All of them beside one node, in turn: full load, then half of what that gave, in several rounds. */
export async function compare(environment: Environment, options: Options): Promise<Measured> {
  const { seconds, connections, wallets, rounds, databaseUrl, withoutAudit, curve } = options;
  const servers: Servers = {
    a: await environment.startRival("express-viem"),
    b: await environment.startRival("express-ethers"),
    c: await environment.startRival("floor"),
    d: await environment.startService({ name: "service" }),
    ...(databaseUrl && { p: await environment.startService({ name: "postgresql", databaseUrl }) }),
    ...(withoutAudit && { o: await environment.startService({ name: "no-audit", audit: "off" }) }),
  };
  const found = await measureInTurn(options, servers, async (server) => {
    const requests = environment.sign(wallets * 8);
    await warmUp(environment, server, options, requests);
    const full = await environment.load(server, { kind: "closed" }, { requests, seconds });
    const open = { kind: "open", rate: perSecond(full) / 2 } as const;
    return { full, half: await environment.load(server, open, { requests, seconds }) };
  });
  const numbers = found.map(([letter, each]) => {
    const [full, half] = [each.map((one) => one.full), each.map((one) => one.half)];
    return {
      letter,
      requestsPerSecond: median(full.map(perSecond)),
      cpuMicroseconds: median(full.map(cpuMicroseconds)),
      p50: median(half.map(({ p50 }) => p50)),
      p99: median(half.map(({ p99 }) => p99)),
      residentMegabytes: Math.max(...full.map(({ residentBytes }) => residentBytes)) / 1e6,
      checked: sum([...full, ...half]),
    };
  });
  const of = (letter: Letter) => numbers.find((one) => one.letter === letter);
  const rate = (letter: Letter) => of(letter)?.requestsPerSecond ?? Number.NaN;
  const [own, viem] = [of("d"), of("a")];
  // What the service's own log says of its curve.
  const [, used] = /"curve":"([^"]+)"/.exec(servers.d?.output() ?? "") ?? [];
  const limit = curve === "wasm" ? 500 : 300;
  return {
    notes: [
      `${rounds} rounds of ${seconds} s at full load over ${connections} connections and ${seconds} s at half of it; ${wallets} wallets.`,
      `The service's curve is ${used}.`,
    ],
    columns: [
      { key: "requestsPerSecond", heading: "requests/s", digits: 0 },
      { key: "cpuMicroseconds", heading: "CPU per request, µs", digits: 0 },
      { key: "p50", heading: "p50 at half load, ms", digits: 2 },
      { key: "p99", heading: "p99 at half load, ms", digits: 2 },
      { key: "residentMegabytes", heading: "resident, MB", digits: 0 },
      { key: "ofViem", heading: "× Express + viem", digits: 2 },
      { key: "ofEthers", heading: "× Express + ethers", digits: 2 },
      { key: "ofFloor", heading: "× bare floor", digits: 2 },
      { key: "checked", heading: "answers checked", digits: 0 },
    ],
    rows: numbers.map(({ letter, ...values }) => ({
      name: contestants[letter],
      values: {
        ...values,
        ofViem: rate(letter) / rate("a"),
        ofEthers: rate(letter) / rate("b"),
        ofFloor: rate(letter) / rate("c"),
      },
    })),
    targets: [
      // Promised of the native curve.
      ...(curve === "wasm"
        ? []
        : [target("At least 10 times (a)", rate("d") / rate("a"), { atLeast: 10 }, times)]),
      target("At least 0.65 times (c)", rate("d") / rate("c"), { atLeast: 0.65 }, times),
      target(
        `CPU per request under ${limit} µs`,
        own?.cpuMicroseconds ?? Number.NaN,
        { under: limit },
        words("µs", 0),
      ),
      target(
        "p99 at half load not above (a)'s p50",
        own?.p99 ?? Number.NaN,
        { atMost: viem?.p50 ?? Number.NaN },
        () => `${formatNumber(own?.p99, 2)} ms, and (a)'s p50 ${formatNumber(viem?.p50, 2)} ms`,
      ),
      ...(databaseUrl
        ? [target("With PostgreSQL at least 0.4 times (c)", rate("p") / rate("c"), { atLeast: 0.4 }, times)]
        : []),
    ],
  };
}

/** Every request for a consumer that was never asked for: as many of them as there are, in equal parts over the rounds. */
export async function cold(environment: Environment, options: Options): Promise<Measured> {
  const { rounds, seconds, connections, wallets } = options;
  const [, ...unknown] = environment.chain.consumers;
  const servers: Servers = {
    a: await environment.startRival("express-viem"),
    d: await environment.startService({ name: "service" }),
  };
  const share = Math.floor(unknown.length / rounds);
  const found = await measureInTurn(options, servers, async (server, round) => {
    await warmUp(environment, server, options, environment.sign(wallets));
    const consumers = unknown.slice(round * share, (round + 1) * share);
    const requests = environment.sign(share, { consumers });
    // All of them once: it ends when they have been asked for, however long that takes.
    const limits = { seconds: Math.max(60, seconds), atMost: share };
    return await environment.load(server, { kind: "closed" }, { requests, ...limits });
  });
  const rows = found.map(([letter, each]) => ({
    name: contestants[letter],
    values: {
      requestsPerSecond: median(each.map(perSecond)),
      cpuMicroseconds: median(each.map(cpuMicroseconds)),
      checked: sum(each),
    },
  }));
  const [viem = Number.NaN, own = Number.NaN] = rows.map(({ values }) => values.requestsPerSecond);
  return {
    notes: [
      `${formatNumber(share * rounds, 0)} consumers once each, in ${rounds} rounds, over ${connections} connections; ${wallets} wallets.`,
    ],
    columns: [
      { key: "requestsPerSecond", heading: "requests/s", digits: 0 },
      { key: "cpuMicroseconds", heading: "CPU per request, µs", digits: 0 },
      { key: "checked", heading: "answers checked", digits: 0 },
    ],
    rows,
    targets: [target("At least what (a) does", own / viem, { atLeast: 1 }, times)],
  };
}

async function measureInTurn<Found>(
  { rounds, onStep }: Options,
  servers: Servers,
  measure: (server: Server, round: number) => Promise<Found>,
): Promise<[Letter, Found[]][]> {
  const all = Object.entries(servers) as [Letter, Server][];
  const found = await inTurn(all, rounds, ([letter, server], round) => {
    onStep(`Round ${round + 1}: ${contestants[letter]}`);
    return measure(server, round);
  });
  return [...found].map(([[letter], each]) => [letter, each]);
}

const warm = new WeakSet<Server>();

/** Compiled code is still warm in later rounds; connections are not. */
export async function warmUp(
  environment: Environment,
  server: Server,
  { warmUp: seconds }: Options,
  requests: ReturnType<Environment["sign"]>,
): Promise<void> {
  const work = { requests, seconds: warm.has(server) ? Math.min(1, seconds) : seconds };
  await environment.load(server, { kind: "closed" }, work);
  warm.add(server);
}
