// `node bench/failover.ts --help`: kills the primary of a replicated database, again and again, while a service stands on
// it that is used, and looks whether all is there that was acknowledged, every answer was right, and all came back.
import type { Command } from "./cluster/command.ts";
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
import { type Measured, type Row, target } from "./report/report.ts";

await runTrial("failover", "The database's primary is killed", measure);

async function measure(scene: Scene, { kills, grace, onStep }: Command): Promise<Measured> {
  const rows: Row[] = [];
  let shown = 0;
  for (let i = 1; i <= kills; i++) {
    const row = await killPrimary(scene);
    onStep(`${i} of ${kills}: ${JSON.stringify(row)}`);
    rows.push({ name: `${i}`, values: row });
    shown += await showToChain(scene);
  }
  await scene.load.stop();
  const later = rows.map(
    ({ values: { database = 0, reads = 0, writes = 0 } }) => Math.max(reads, writes) - database,
  );
  return {
    notes: scene.notes,
    columns: [
      { key: "database", heading: "database away (s)", digits: 1 },
      ...away,
      { key: "rejoined", heading: "node back after (s)", digits: 1 },
      ...counted,
    ],
    rows,
    targets: [
      ...(await judgeTrial(scene, shown)),
      target(
        `The service is back within ${grace} s of the database`,
        Math.max(...later),
        { atMost: grace },
        (seconds) => `${seconds.toFixed(1)} s at most`,
      ),
      target(
        "Every killed node rejoins",
        rows.length,
        { atLeast: kills },
        (rejoined) => `${rejoined} of ${kills}`,
      ),
    ],
  };
}

/** Kills the primary, has it come back, and tells what happened meanwhile, in seconds. */
async function killPrimary(scene: Scene): Promise<Record<string, number>> {
  await scene.database.settled();
  const primary = await findPrimary(scene);
  const since = performance.now();
  await primary.kill();
  await replaced(scene, primary);
  await recovered(scene, since);
  const killed = performance.now();
  primary.start();
  await scene.database.settled();
  const rejoined = performance.now() - killed;
  await recovered(scene, since);
  const { database = 0, reads = 0, writes = 0 } = measureOutages(scene, since);
  return { ...inSeconds({ database, reads, writes, rejoined }), ...count(scene, since) };
}
