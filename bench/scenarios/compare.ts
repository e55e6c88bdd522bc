import type { Environment } from "../environment/environment.ts";
import { versionOf } from "../environment/machine.ts";
import type { Options } from "../environment/options.ts";
import type { Server } from "../environment/servers.ts";
import type { LoadOutcome } from "../load/task.ts";
import {
  formatNumber,
  type Measured,
  median,
  ownName,
  type Row,
  type Target,
  target,
  words,
} from "../report/report.ts";

/** The measured servers, by name. */
const names = {
  viem: "Express + viem",
  native: "Express with the cryptography, and nothing else",
  floor: "node:http with the cryptography, and nothing else",
  own: ownName,
  untracked: `${ownName} without its trail`,
  postgresql: `${ownName}, PostgreSQL`,
} as const;

type Name = (typeof names)[keyof typeof names];

/** The outcomes at full load, and at half of the rate of full load. */
interface Round {
  readonly full: LoadOutcome;
  readonly half: LoadOutcome;
}
type Rounds = ReadonlyMap<Name, readonly Round[]>;

const perSecond = ({ checked, seconds }: LoadOutcome) => checked / seconds;
const cpuMicroseconds = ({ cpuSeconds, checked }: LoadOutcome) => (cpuSeconds / checked) * 1e6;

/** Measures all servers beside one node, in turn, for several rounds at each number of connections. */
export async function compare(environment: Environment, options: Options): Promise<Measured> {
  const { seconds, connections, wallets, rounds, databaseUrl, onStep } = options;
  const servers = new Map<Name, Server>([
    [names.viem, await environment.startRival("express-viem")],
    [names.native, await environment.startRival("express-native")],
    [names.floor, await environment.startRival("node-native")],
    [names.own, await environment.startService({ name: "service" })],
    [names.untracked, await environment.startService({ name: "untracked", hasNoTrail: true })],
  ]);
  if (databaseUrl)
    servers.set(names.postgresql, await environment.startService({ name: "postgresql", databaseUrl }));

  const rows: Row[] = [];
  const targets: Target[] = [];
  for (const count of connections) {
    const found = new Map([...servers.keys()].map((name): [Name, Round[]] => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, server] of startAt([...servers], round)) {
        onStep(`${count} connections, round ${round + 1}: ${name}`);
        const work = { requests: environment.sign(wallets * 8), seconds, connections: count };
        await warmUp(environment, server, options, work);
        const full = await environment.load(server, { kind: "closed" }, work);
        const half = await environment.load(server, { kind: "open", rate: perSecond(full) / 2 }, work);
        found.get(name)?.push({ full, half });
      }
    }
    rows.push(...[...found.keys()].map((name) => describeRounds(found, name, count)));
    targets.push(...judgeRounds(found, count));
  }
  targets.push(...judgeLoneClient(rows));
  return {
    notes: [
      `${rounds} rounds of ${seconds} s at full load and ${seconds} s at half of it, with ${connections.join(" and with ")} connections; ${wallets} wallets.`,
      `Express ${versionOf("express")}, viem ${versionOf("viem")}, secp256k1 ${versionOf("secp256k1")}, hash-wasm ${versionOf("hash-wasm")}.`,
      `The service's code for signatures is ${servers.get(names.own)?.curve}.`,
    ],
    columns: [
      { key: "connections", heading: "connections", digits: 0 },
      { key: "requestsPerSecond", heading: "requests/s", digits: 0 },
      { key: "cpuMicroseconds", heading: "CPU per request, µs", digits: 0 },
      { key: "p99", heading: "p99, ms", digits: 1 },
      { key: "p99Half", heading: "p99 at half load, ms", digits: 1 },
    ],
    rows,
    targets,
  };
}

/** Returns the things in another order for each round. */
const startAt = <Thing>(things: readonly Thing[], round: number): Thing[] => {
  const first = round % things.length;
  return [...things.slice(first), ...things.slice(0, first)];
};

function describeRounds(found: Rounds, name: Name, connections: number): Row {
  const rounds = found.get(name) ?? [];
  const [full, half] = [rounds.map((one) => one.full), rounds.map((one) => one.half)];
  return {
    name,
    values: {
      connections,
      requestsPerSecond: median(full.map(perSecond)),
      cpuMicroseconds: median(full.map(cpuMicroseconds)),
      p99: median(full.map(({ p99 }) => p99)),
      p99Half: median(half.map(({ p99 }) => p99)),
    },
  };
}

/** Compares this service's rate with another's, by round: the machine itself may be a third faster in the next one. */
function judgeRate(found: Rounds, promise: string, other: Name, atLeast: number): Target {
  const others = found.get(other) ?? [];
  const ratios = (found.get(names.own) ?? []).map(({ full }, round) => {
    const beside = others[round];
    return beside === undefined ? Number.NaN : perSecond(full) / perSecond(beside.full);
  });
  const range = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => formatNumber(ratio, 2));
  return target(promise, median(ratios), { atLeast }, words(`times (${range.join(" to ")})`, 2));
}

/** The targets are for a service with work to do: from sixteen requests at a time. */
function judgeRounds(found: Rounds, connections: number): Target[] {
  if (connections < 16) return [];
  const at = `${connections} connections: `;
  const times = connections < 64 ? 8 : 10;
  const value = (name: Name, key: string) =>
    describeRounds(found, name, connections).values[key] ?? Number.NaN;
  const viem = value(names.viem, "p99Half");
  return [
    judgeRate(found, `${at}at least ${times} times ${names.viem}`, names.viem, times),
    judgeRate(found, `${at}at least 0.75 times ${names.native}`, names.native, 0.75),
    judgeRate(found, `${at}at least 0.9 times itself without its trail`, names.untracked, 0.9),
    target(
      `${at}CPU per request under 300 µs`,
      value(names.own, "cpuMicroseconds"),
      { under: 300 },
      words("µs", 0),
    ),
    ...(connections < 64
      ? [target(`${at}p99 at most 15 ms`, value(names.own, "p99"), { atMost: 15 }, words("ms", 1))]
      : []),
    target(
      `${at}p99 at half load not above ${names.viem}'s`,
      value(names.own, "p99Half"),
      { atMost: viem },
      words(`ms, and ${names.viem}'s ${formatNumber(viem, 1)} ms`, 1),
    ),
  ];
}

/** A lone client shares nothing with others, such as a write to the disk. */
function judgeLoneClient(rows: readonly Row[]): Target[] {
  const [lone, sixteen] = [1, 16].map(
    (count) =>
      rows.find(({ name, values }) => name === names.own && values.connections === count)?.values
        .cpuMicroseconds,
  );
  if (lone === undefined || sixteen === undefined) return [];
  const promise = "1 connection: at most 1.5 times the CPU of 16";
  return [target(promise, lone / sixteen, { atMost: 1.5 }, words("times", 2))];
}

const warm = new WeakSet<Server>();

/**
 * Warms a server up, in later rounds for a second at most: compiled code is still warm then, and connections are not.
 */
async function warmUp(
  environment: Environment,
  server: Server,
  { warmUp: seconds }: Options,
  work: Parameters<Environment["load"]>[2],
): Promise<void> {
  await environment.load(
    server,
    { kind: "closed" },
    { ...work, seconds: warm.has(server) ? Math.min(1, seconds) : seconds },
  );
  warm.add(server);
}
