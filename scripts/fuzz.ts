// `npm run fuzz -- --seconds 600 --seed 7`: sends hostile requests to a service and reports the outcome. A failure
// names the seed of its round, to repeat it with `--seed N --rounds 1`.
//
// `npm run fuzz -- --messages 1000000`: compares the parsers of sign-in messages on this many messages instead. A
// failure names the seed that repeats it.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { compareParsers } from "../test/fixtures/fuzz/compare.ts";
import { fuzz } from "../test/fixtures/fuzz/run.ts";
import { startTarget } from "../test/fixtures/fuzz/target.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "600" },
    rounds: { type: "string", default: "Infinity" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    attack: { type: "string" },
    messages: { type: "string" },
  },
});
const seed = Number(values.seed);
console.log(`Seed ${seed}`);

async function attackService() {
  const target = await startTarget();
  const end = Date.now() + Number(values.seconds) * 1000;
  const goesOn = (round: number) => round < Number(values.rounds) && Date.now() < end;
  return await fuzz(target, { seed, goesOn, name: values.attack });
}

try {
  const report =
    values.messages === undefined
      ? await attackService()
      : compareParsers({ seed, count: Number(values.messages) });
  console.log(JSON.stringify(report, null, 2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
process.exit();
