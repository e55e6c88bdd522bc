import type { Environment } from "../environment/environment.ts";
import type { Server } from "../environment/servers.ts";
import type { LoadOutcome } from "../load/task.ts";
import type { Options } from "../options.ts";
import { formatNumber, type Measured, median, type Row, type Target, target } from "../report/report.ts";

/** The names of the servers by their letters, which the report also uses. */
const contestants = {
  a: "(a) Express + viem",
  c: "(c) bare floor",
  d: "(d) this service",
  o: "(o) this service, no audit trail",
  p: "(p) this service, PostgreSQL",
} as const;

type Letter = keyof typeof contestants;

/** The outcomes at full load, and at half of the rate of full load. */
interface Round {
  readonly full: LoadOutcome;
  readonly half: LoadOutcome;
}
type Rounds = ReadonlyMap<Letter, readonly Round[]>;

const perSecond = ({ checked, seconds }: LoadOutcome) => checked / seconds;
const cpuMicroseconds = ({ cpuSeconds, checked }: LoadOutcome) => (cpuSeconds / checked) * 1e6;

/** Measures all servers beside one node, in turn, for several rounds at each number of connections. */
export async function compare(environment: Environment, options: Options): Promise<Measured> {
  const { seconds, connections, wallets, rounds, databaseUrl, curve, onStep } = options;
  const servers = new Map<Letter, Server>([
    ["a", await environment.startRival("express-viem")],
    ["c", await environment.startRival("floor")],
    ["d", await environment.startService({ name: "service" })],
    ["o", await environment.startService({ name: "no-audit", audit: "off" })],
  ]);
  if (databaseUrl) servers.set("p", await environment.startService({ name: "postgresql", databaseUrl }));

  const rows: Row[] = [];
  const targets: Target[] = [];
  for (const count of connections) {
    const found = new Map([...servers.keys()].map((letter): [Letter, Round[]] => [letter, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [letter, server] of startAt([...servers], round)) {
        onStep(`${count} connections, round ${round + 1}: ${contestants[letter]}`);
        const work = { requests: environment.sign(wallets * 8), seconds, connections: count };
        await warmUp(environment, server, options, work);
        const full = await environment.load(server, { kind: "closed" }, work);
        const half = await environment.load(server, { kind: "open", rate: perSecond(full) / 2 }, work);
        found.get(letter)?.push({ full, half });
      }
    }
    rows.push(...[...found.keys()].map((letter) => describe(found, letter, count)));
    targets.push(...judge(found, count, curve));
  }
  return {
    notes: [
      `${rounds} rounds of ${seconds} s at full load and ${seconds} s at half of it, with ${connections.join(" and with ")} connections; ${wallets} wallets.`,
      "Each number is the median of the rounds; ratios are taken round by round.",
    ],
    columns: [
      { key: "connections", heading: "connections", digits: 0 },
      { key: "requestsPerSecond", heading: "requests/s", digits: 0 },
      { key: "cpuMicroseconds", heading: "CPU per request, µs", digits: 0 },
      { key: "p50", heading: "p50 at half load, ms", digits: 2 },
      { key: "p99", heading: "p99 at half load, ms", digits: 2 },
      { key: "residentMegabytes", heading: "resident, MB", digits: 0 },
      { key: "ofViem", heading: "× Express + viem", digits: 2 },
      { key: "ofFloor", heading: "× bare floor", digits: 2 },
      { key: "ofUnaudited", heading: "× no audit trail", digits: 2 },
      { key: "checked", heading: "answers checked", digits: 0 },
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

function describe(found: Rounds, letter: Letter, connections: number): Row {
  const rounds = found.get(letter) ?? [];
  const [full, half] = [rounds.map((one) => one.full), rounds.map((one) => one.half)];
  return {
    name: contestants[letter],
    values: {
      connections,
      requestsPerSecond: median(full.map(perSecond)),
      cpuMicroseconds: median(full.map(cpuMicroseconds)),
      p50: median(half.map(({ p50 }) => p50)),
      p99: median(half.map(({ p99 }) => p99)),
      residentMegabytes: Math.max(...full.map(({ residentBytes }) => residentBytes)) / 1e6,
      ofViem: median(compareRounds(found, letter, "a")),
      ofFloor: median(compareRounds(found, letter, "c")),
      ofUnaudited: median(compareRounds(found, letter, "o")),
      checked: [...full, ...half].reduce((sum, { checked }) => sum + checked, 0),
    },
  };
}

/** Returns the ratio of each round, because the machine itself may be a third faster from one round to the next. */
function compareRounds(found: Rounds, one: Letter, other: Letter): number[] {
  const others = found.get(other) ?? [];
  return (found.get(one) ?? []).map(({ full }, round) => {
    const beside = others[round];
    return beside === undefined ? Number.NaN : perSecond(full) / perSecond(beside.full);
  });
}

function judge(found: Rounds, connections: number, curve: string): Target[] {
  const ratio = (one: Letter, other: Letter, atLeast: number) => {
    const ratios = compareRounds(found, one, other);
    const range = `${formatNumber(Math.min(...ratios), 2)} to ${formatNumber(Math.max(...ratios), 2)}`;
    return target(
      `${connections} connections: (${one}) at least ${atLeast} times (${other})`,
      median(ratios),
      { atLeast },
      (value) => `${formatNumber(value, 2)} times (${range})`,
    );
  };
  const { cpuMicroseconds: cpu = Number.NaN, p99 = Number.NaN } = describe(found, "d", connections).values;
  const { p99: viem = Number.NaN } = describe(found, "a", connections).values;
  const limit = curve === "wasm" ? 500 : 300;
  return [
    // The floor has native code.
    ...(curve === "wasm" ? [] : [ratio("d", "a", 10), ratio("d", "c", 0.6)]),
    ratio("d", "o", 0.9),
    ...(found.has("p") ? [ratio("p", "c", 0.4)] : []),
    target(
      `${connections} connections: CPU per request under ${limit} µs`,
      cpu,
      { under: limit },
      (value) => `${formatNumber(value, 0)} µs`,
    ),
    target(
      `${connections} connections: p99 at half load not above (a)'s`,
      p99,
      { atMost: viem },
      () => `${formatNumber(p99, 2)} ms, and (a)'s ${formatNumber(viem, 2)} ms`,
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
