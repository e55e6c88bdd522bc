import type { Environment } from "../environment/environment.ts";
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
  own: ownName,
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
    [names.viem, await environment.startRival()],
    [names.own, await environment.startService({ name: "service" })],
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
  return {
    notes: [
      `${rounds} rounds of ${seconds} s at full load and ${seconds} s at half of it, with ${connections.join(" and with ")} connections; ${wallets} wallets.`,
      `The service's code for signatures is ${servers.get(names.own)?.curve}.`,
    ],
    columns: [
      { key: "connections", heading: "connections", digits: 0 },
      { key: "requestsPerSecond", heading: "requests/s", digits: 0 },
      { key: "cpuMicroseconds", heading: "CPU per request, µs", digits: 0 },
      { key: "p50", heading: "p50 at half load, ms", digits: 2 },
      { key: "p99", heading: "p99 at half load, ms", digits: 2 },
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
      p50: median(half.map(({ p50 }) => p50)),
      p99: median(half.map(({ p99 }) => p99)),
    },
  };
}

/** Returns the ratio of each round, because the machine itself may be a third faster from one round to the next. */
function compareRounds(found: Rounds): number[] {
  const others = found.get(names.viem) ?? [];
  return (found.get(names.own) ?? []).map(({ full }, round) => {
    const beside = others[round];
    return beside === undefined ? Number.NaN : perSecond(full) / perSecond(beside.full);
  });
}

function judgeRounds(found: Rounds, connections: number): Target[] {
  const ratios = compareRounds(found);
  const range = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => formatNumber(ratio, 2));
  const at = `${connections} connections: `;
  const value = (name: Name, key: string) =>
    describeRounds(found, name, connections).values[key] ?? Number.NaN;
  const viem = value(names.viem, "p99");
  return [
    target(
      `${at}at least 10 times ${names.viem}`,
      median(ratios),
      { atLeast: 10 },
      words(`times (${range.join(" to ")})`, 2),
    ),
    target(
      `${at}CPU per request under 300 µs`,
      value(names.own, "cpuMicroseconds"),
      { under: 300 },
      words("µs", 0),
    ),
    target(
      `${at}p99 at half load not above ${names.viem}'s`,
      value(names.own, "p99"),
      { atMost: viem },
      words(`ms, and ${names.viem}'s ${formatNumber(viem, 2)} ms`, 2),
    ),
  ];
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
