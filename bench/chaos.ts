// `node bench/chaos.ts --help`: three replicas of the service on a replicated database, under load from many wallets. One
// part after the other is killed, stopped, or has its clock put off; every answer is judged meanwhile.
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "./cluster/command.ts";
import type { Replica } from "./cluster/replicas.ts";
import { runTrial } from "./cluster/runTrial.ts";
import type { Scene } from "./cluster/scene.ts";
import {
  away,
  count,
  counted,
  findPrimary,
  inSeconds,
  judgeTrial,
  measureOutages,
  recovered,
  replaced,
  showToChain,
} from "./cluster/trial.ts";
import { type Measured, type Row, type Target, target } from "./report/report.ts";

/** Seconds by which a replica's clock is put off. */
const clockOffset = 120;

await runTrial("chaos", "One part after the other fails", measure);

async function measure(scene: Scene, { seconds, onStep }: Command): Promise<Measured> {
  const [first, second] = scene.service.replicas as [Replica, Replica];
  const pass = () => delay(1_000 * seconds);
  const issuedByClock: Record<string, number> = {};
  const putClockOff = async (name: string, offset: number) => {
    await second.end("SIGTERM");
    await second.start(offset);
    await pass();
    issuedByClock[name] = await second.countIssued();
    await second.end("SIGTERM");
    await second.start();
  };
  const steps: Readonly<Record<string, () => Promise<void>>> = {
    "Nothing fails": pass,
    "A replica is killed": async () => {
      await first.end("SIGKILL");
      await pass();
      await first.start();
    },
    "The database's primary is killed": async () => {
      const primary = await findPrimary(scene);
      await primary.kill();
      await replaced(scene, primary);
      primary.start();
    },
    "The database's primary hangs until another one is there": async () => {
      const primary = await findPrimary(scene);
      primary.freeze();
      await replaced(scene, primary);
      primary.thaw();
    },
    "The chain's node stops, and goes on": async () => {
      scene.node.freeze();
      await pass();
      scene.node.thaw();
    },
    "A replica's clock is two minutes ahead": () => putClockOff("ahead", clockOffset),
    "A replica's clock is two minutes behind": () => putClockOff("behind", -clockOffset),
  };
  const rows: Row[] = [];
  let shown = 0;
  for (const [name, step] of Object.entries(steps)) {
    onStep(name);
    const since = performance.now();
    await step();
    await recovered(scene, since);
    await scene.database.settled();
    await recovered(scene, since);
    const { reads = 0, writes = 0 } = measureOutages(scene, since);
    rows.push({ name, values: { ...inSeconds({ reads, writes }), ...count(scene, since) } });
    shown += await showToChain(scene);
  }
  await scene.load.stop();
  return {
    notes: scene.notes,
    columns: [...away, ...counted],
    rows,
    targets: [...(await judgeTrial(scene, shown)), ...judgeClocks(issuedByClock)],
  };
}

/** A replica that is ahead goes on; one that is behind would refuse what is signed now, and has to leave it to others. */
function judgeClocks({ ahead = 0, behind = 0 }: Record<string, number>): Target[] {
  const issued = (count: number) => `${count} issued`;
  return [
    target("The replica that is ahead is used", ahead, { atLeast: 1 }, issued),
    target("The replica that is behind issues nothing", behind, { atMost: 0 }, issued),
  ];
}
