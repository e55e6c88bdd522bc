import type { LoadOutcome } from "../load/task.ts";
import type { Options } from "../options.ts";
import { median } from "../quantile.ts";
import { type Column, formatNumber, type Measured, type Row, target } from "../report/report.ts";
import { signRequests } from "../stage/people.ts";
import type { Server } from "../stage/servers.ts";
import { type Stage, setStage } from "../stage/stage.ts";

/** Rows by their letters, which the report keeps. */
export const contestants = {
  a: "Express + viem",
  b: "Express + ethers + siwe",
  c: "bare floor",
  d: "this service",
  w: "this service, several workers",
  p: "this service, PostgreSQL",
  o: "this service, no audit trail",
} as const;

type Letter = keyof typeof contestants;

const columns: readonly Column[] = [
  { key: "requestsPerSecond", heading: "requests/s", digits: 0 },
  { key: "cpuMicroseconds", heading: "CPU per request, µs", digits: 0 },
  { key: "p50", heading: "p50 at half load, ms", digits: 2 },
  { key: "p99", heading: "p99 at half load, ms", digits: 2 },
  { key: "residentMegabytes", heading: "resident, MB", digits: 0 },
  { key: "ofViem", heading: "× Express + viem", digits: 2 },
  { key: "ofEthers", heading: "× Express + ethers", digits: 2 },
  { key: "ofFloor", heading: "× bare floor", digits: 2 },
  { key: "checked", heading: "answers checked", digits: 0 },
];

interface Round {
  readonly full: LoadOutcome;
  readonly half: LoadOutcome;
}

/** All of them beside one node, in turn: full load, then half of what that gave, in several rounds. */
export async function compare(options: Options): Promise<Measured> {
  const stage = await setStage(options);
  try {
    const servers = await startAll(stage, options);
    const rounds = new Map<Letter, Round[]>([...servers.keys()].map((letter) => [letter, []]));
    for (let round = 0; round < options.rounds; round++) {
      for (const letter of rotate([...servers.keys()], round)) {
        const server = servers.get(letter);
        if (server === undefined) continue;
        options.onStep(`Round ${round + 1}: ${contestants[letter]}`);
        rounds.get(letter)?.push(await measure(stage, server, options, round === 0));
      }
    }
    return judge(rounds, stage, options, servers.get("d"));
  } finally {
    await stage.close();
  }
}

async function startAll(stage: Stage, options: Options): Promise<Map<Letter, Server>> {
  const servers = new Map<Letter, Server>();
  servers.set("a", await stage.startRival("express-viem"));
  servers.set("b", await stage.startRival("express-ethers"));
  servers.set("c", await stage.startRival("floor"));
  servers.set("d", await stage.startService({ name: "service" }));
  const { workers, databaseUrl, withoutAudit } = options;
  if (workers !== undefined) servers.set("w", await stage.startService({ name: "workers", workers }));
  if (databaseUrl !== undefined) {
    servers.set("p", await stage.startService({ name: "postgresql", databaseUrl }));
  }
  if (withoutAudit) servers.set("o", await stage.startService({ name: "no-audit", audit: "off" }));
  return servers;
}

const rotate = <T>(list: readonly T[], by: number): T[] => [
  ...list.slice(by % list.length),
  ...list.slice(0, by % list.length),
];

/** Full load, then requests by the clock at half of its rate. */
async function measure(stage: Stage, server: Server, options: Options, isFirst: boolean): Promise<Round> {
  const { seconds, warmUp } = options;
  const { people, chain } = stage.setting;
  const requests = signRequests(people.length * 8, { people, chain, consumers: chain.consumers.slice(0, 1) });
  // Compiled code is still warm in later rounds; connections are not.
  const warmUpSeconds = isFirst ? warmUp : Math.min(1, warmUp);
  await stage.load(server, { kind: "closed" }, { requests, seconds: warmUpSeconds });
  const full = await stage.load(server, { kind: "closed" }, { requests, seconds });
  const rate = full.checked / full.seconds / 2;
  const half = await stage.load(server, { kind: "open", rate }, { requests, seconds });
  return { full, half };
}

function judge(
  rounds: ReadonlyMap<Letter, readonly Round[]>,
  stage: Stage,
  options: Options,
  service: Server | undefined,
): Measured {
  const numbers = new Map(
    [...rounds].map(([letter, measured]) => {
      const middle = (read: (round: Round) => number) => median(measured.map(read));
      return [
        letter,
        {
          requestsPerSecond: middle(({ full }) => full.checked / full.seconds),
          cpuMicroseconds: middle(({ full }) => (full.cpuSeconds / full.checked) * 1e6),
          p50: middle(({ half }) => half.p50),
          p99: middle(({ half }) => half.p99),
          residentMegabytes: Math.max(...measured.map(({ full }) => full.residentBytes)) / 1e6,
          checked: measured.reduce((sum, { full, half }) => sum + full.checked + half.checked, 0),
        },
      ] as const;
    }),
  );
  const rate = (letter: Letter) => numbers.get(letter)?.requestsPerSecond ?? Number.NaN;
  const rows: Row[] = [...numbers].map(([letter, measured]) => ({
    name: `(${letter}) ${contestants[letter]}`,
    values: {
      ...measured,
      ofViem: rate(letter) / rate("a"),
      ofEthers: rate(letter) / rate("b"),
      ofFloor: rate(letter) / rate("c"),
    },
  }));
  const [own, viem] = [numbers.get("d"), numbers.get("a")];
  const times = (value: number) => `${formatNumber(value, 2)} times`;
  const limit = options.curve === "wasm" ? 500 : 300;
  const several = rate("w") / rate("d");
  const postgres = rate("p") / rate("c");
  return {
    notes: [
      ...stage.notes,
      `${options.rounds} rounds of ${options.seconds} s at full load over ${options.connections} connections and ${options.seconds} s at half of it; ${options.wallets} wallets.`,
      ...describeCurve(service),
    ],
    columns,
    rows,
    targets: [
      // Promised of the native curve.
      ...(options.curve === "wasm"
        ? []
        : [target("At least 10 times (a)", rate("d") / rate("a"), { atLeast: 10 }, times)]),
      target("At least 0.65 times (c)", rate("d") / rate("c"), { atLeast: 0.65 }, times),
      target(
        `CPU per request under ${limit} µs`,
        own?.cpuMicroseconds ?? Number.NaN,
        { under: limit },
        (value) => `${formatNumber(value, 0)} µs`,
      ),
      target(
        "p99 at half load not above (a)'s p50",
        own?.p99 ?? Number.NaN,
        { atMost: viem?.p50 ?? Number.NaN },
        () => `${formatNumber(own?.p99, 2)} ms, and (a)'s p50 ${formatNumber(viem?.p50, 2)} ms`,
      ),
      ...(Number.isNaN(several)
        ? []
        : [target("The second core brings at least 1.7 times", several, { atLeast: 1.7 }, times)]),
      ...(Number.isNaN(postgres)
        ? []
        : [target("With PostgreSQL at least 0.4 times (c)", postgres, { atLeast: 0.4 }, times)]),
    ],
  };
}

/** What the service's own log says of its curve. */
function describeCurve(service: Server | undefined): string[] {
  const [, curve] = /"curve":"([^"]+)"/.exec(service?.output() ?? "") ?? [];
  return curve === undefined ? [] : [`The service's curve is ${curve}.`];
}
