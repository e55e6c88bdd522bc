// Counts the JSON-RPC calls of a watch, on a local chain with the blocks of Ethereum and of Base.
//
//   node bench/watch.ts [seconds]
import { setTimeout as delay } from "node:timers/promises";
import { runTestWatch } from "../test/fixtures/signer/runningWatch.ts";
import { ownSecrets } from "../test/fixtures/signer/stack.ts";
import { watchedRegistry } from "../test/fixtures/signer/watchedRegistry.ts";

const seconds = Number(process.argv[2] ?? 60);

/** Milliseconds from block to block, and the option --interval. */
const chains = [
  { name: "Ethereum", blockMs: 12_000 },
  { name: "Base", blockMs: 200 },
  { name: "any, --interval 30", blockMs: 2_000, interval: 30 },
];

for (const { name, blockMs, interval } of chains) {
  const secrets = ownSecrets();
  const { provider, registryContract, service, proxy, environment, consumer, claimHonestly } =
    await watchedRegistry(secrets);
  await (await registryContract.getFunction("addSigner")(service.signer)).wait();
  await claimHonestly(consumer);
  const options = { readKnownSigners: async () => new Set([service.signer]), interval };
  const watching = await runTestWatch(environment, options);
  await delay(2_000);
  let goesOn = true;
  let blocks = 0;
  const mining = (async () => {
    for (let next = Date.now() + blockMs; goesOn; next += blockMs) {
      await provider.send("evm_mine", []);
      blocks++;
      await delay(Math.max(0, next - Date.now()));
    }
  })();
  // The first block tells the watch how slow the chain is.
  await delay(2.1 * blockMs);
  const [from, blocksFrom, since] = [proxy.batches.length, blocks, Date.now()];
  await delay(Math.max(seconds * 1_000, 2 * (interval ?? 0) * 1_000));
  const batches = proxy.batches.slice(from);
  const passed = (Date.now() - since) / 1_000;
  goesOn = false;
  await mining;
  await watching.stop();
  const counts: number[] = [];
  for (const batch of batches) {
    const isHead = batch.length <= 3 && batch.slice(1).every((method) => method === "eth_getBlockByNumber");
    if (isHead) counts.push(0);
    counts.push((counts.pop() ?? 0) + batch.length);
  }
  const calls = batches.reduce((sum, batch) => sum + batch.length, 0);
  console.log(
    JSON.stringify({
      name,
      seconds: Math.round(passed),
      blocks: blocks - blocksFrom,
      looks: counts.length,
      least: Math.min(...counts),
      most: Math.max(...counts),
      aDay: Math.round((calls / passed) * 86_400),
    }),
  );
}
process.exit();
