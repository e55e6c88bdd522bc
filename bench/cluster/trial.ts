import { setTimeout as delay } from "node:timers/promises";
import { type Column, type Target, target } from "../report/report.ts";
import { simulateClaim } from "../stage/chain.ts";
import { findLost } from "../verdicts/crowd.ts";
import type { Attempt } from "../verdicts/load.ts";
import { measureOutage, type Try } from "../verdicts/outage.ts";
import type { DatabaseNode } from "./database.ts";
import type { Scene } from "./scene.ts";

/** Milliseconds for which something that went away may stay away. */
const longestOutage = 60_000;

/** How long what was away since a moment, in milliseconds; undefined where it is so still. */
export interface Outages {
  readonly database: number | undefined;
  readonly reads: number | undefined;
  readonly writes: number | undefined;
}

export function measureOutages({ probe, load }: Scene, since: number): Outages {
  const of = (kind: Attempt["of"]): Try[] =>
    load.attempts
      .filter((attempt) => attempt.of === kind)
      .map(({ sent, done, verdict }) => ({ sent, done, isGood: isAnswered(verdict) }));
  return {
    database: measureOutage(probe.tries, since),
    reads: measureOutage(of("reads"), since),
    writes: measureOutage(of("writes"), since),
  };
}

const isAnswered = ({ kind }: Attempt["verdict"]) => kind === "issued" || kind === "refused";

/** Resolves when nothing is away any more. @throws Error when something stays away. */
export async function recovered(scene: Scene, since: number): Promise<void> {
  for (;;) {
    const outages = measureOutages(scene, since);
    const away = Object.entries(outages).filter(([, outage]) => outage === undefined);
    if (away.length === 0) return;
    if (performance.now() - since > longestOutage) {
      throw new Error(
        `After ${longestOutage / 1_000} s away still: ${away.map(([name]) => name).join(", ")}.`,
      );
    }
    await delay(200);
  }
}

/** Resolves when another node than one says that it is the primary. */
export async function replaced(scene: Scene, former: DatabaseNode): Promise<void> {
  await findPrimary(scene, former);
}

/** The primary, as soon as a node says that it is it; another one than the former where that is given. */
export async function findPrimary({ database }: Scene, former?: DatabaseNode): Promise<DatabaseNode> {
  for (const end = performance.now() + longestOutage; performance.now() < end; await delay(200)) {
    const primary = await database.findPrimary();
    if (primary !== undefined && primary !== former) return primary;
  }
  throw new Error(`No node${former ? ` but ${former.name}` : ""} says that it is the primary.`);
}

/** Columns for {@link measureOutages}. */
export const away: readonly Column[] = [
  { key: "reads", heading: "verifications away (s)", digits: 1 },
  { key: "writes", heading: "writes away (s)", digits: 1 },
];

/** Columns for {@link count}. */
export const counted: readonly Column[] = [
  { key: "issued", heading: "verifications", digits: 0 },
  { key: "refused", heading: "refused", digits: 0 },
  { key: "away", heading: "503", digits: 0 },
  { key: "written", heading: "written", digits: 0 },
  { key: "unwritten", heading: "not written", digits: 0 },
];

/** What was answered and written within some time, which ends now. */
export function count({ load }: Scene, since: number): Record<string, number> {
  const within = load.attempts.filter(({ done }) => done >= since);
  const number = (kind: Attempt["of"], verdict: string) =>
    within.filter((attempt) => attempt.of === kind && attempt.verdict.kind === verdict).length;
  return {
    issued: number("reads", "issued"),
    refused: number("reads", "refused"),
    away: number("reads", "away"),
    written: number("writes", "issued"),
    unwritten: number("writes", "away"),
  };
}

/** Milliseconds as seconds, to a tenth. */
export const inSeconds = (times: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(times).map(([name, time]) => [name, Math.round(time / 100) / 10]));

/** Has the chain itself judge what was sampled. Answers how many it has. @throws Error when it refuses one. */
export async function showToChain({ load, chain }: Scene): Promise<number> {
  const samples = load.takeSamples();
  for (const { claim, consumer } of samples) await simulateClaim(chain, consumer, claim);
  return samples.length;
}

/** What holds of every trial, whatever was done. The load must have been stopped. */
export async function judgeTrial(scene: Scene, shown: number): Promise<Target[]> {
  const { load, store, crowd, secret, chain } = scene;
  const wrong = load.attempts.flatMap(({ of, verdict }) =>
    verdict.kind === "wrong" ? [`${of}: ${verdict.problem}`] : [],
  );
  for (const problem of wrong.slice(0, 10)) console.error(problem);
  const reads = load.attempts.filter(({ of }) => of === "reads").length;
  const { acknowledged } = crowd.ledger.counts();
  const lost = await findLost(store, crowd.ledger, { secret, chainId: chain.chainId });
  for (const wallet of lost.slice(0, 10))
    console.error(`Of ${wallet} the store has not what was acknowledged.`);
  return [
    target(
      "Every answer is right, or 503 with Retry-After",
      wrong.length,
      { atMost: 0 },
      (count) => `${count} wrong of ${reads}`,
    ),
    target(
      "No acknowledged write is lost",
      lost.length,
      { atMost: 0 },
      (count) => `${count} lost of ${acknowledged}`,
    ),
    target(
      "The registry accepts the verifications that it is shown",
      shown,
      { atLeast: 1 },
      (count) => `all of ${count}`,
    ),
  ];
}
