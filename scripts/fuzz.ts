// `npm run fuzz -- --seconds 600 --seed 7`: sends a service whatever it should not be sent, and reports what came of it.
// A failure names the seed of its round, which repeats it: `--seed N --rounds 1`.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { fuzz } from "../test/fixtures/fuzz/run.ts";
import { startTarget } from "../test/fixtures/fuzz/target.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "600" },
    rounds: { type: "string", default: "Infinity" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    attack: { type: "string" },
  },
});
const seed = Number(values.seed);
console.log(`Seed ${seed}`);
const target = await startTarget();
const end = Date.now() + Number(values.seconds) * 1000;
const goesOn = (round: number) => round < Number(values.rounds) && Date.now() < end;
try {
  console.log(JSON.stringify(await fuzz(target, { seed, goesOn, name: values.attack }), null, 2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
process.exit();
