import { FunctionFragment } from "ethers";
import { type EntryPoint, mayTakePacked, readDoors } from "./functions.ts";
import { choices } from "./invent.ts";
import { type Ready, readAddress, type Scene } from "./scene.ts";
import { deal } from "./tokens.ts";

/** An entry point that nothing could be tried at. */
export interface Untried {
  readonly attack: string;
  readonly entryPoint: string;
  /** What it reverts with, hex. */
  readonly revert: string;
}

/** Ether that a contract gets, if its entry point needs some. */
const treasury = 10n ** 21n;

/**
 * Makes a contract ready for attacks: equips the wallets, and finds arguments that each entry point accepts, after what its
 * owner and the time may have to do first.
 */
export async function prepare(scene: Scene): Promise<Untried[]> {
  const { first, second, stranger } = scene.wallets;
  scene.tokens = await findTokens(scene);
  for (const wallet of [first, second, stranger]) await scene.equip(wallet);

  const { entryPoints, others } = readDoors(scene.target.abi);
  scene.others = others;
  const untried: Untried[] = [];
  for (const entry of entryPoints) {
    const ready = await makeReady(scene, entry);
    if ("choice" in ready) scene.entryPoints.push(ready);
    else untried.push({ attack: "every attack", entryPoint: entry.name, revert: ready.revert });
  }
  for (const door of others) {
    const packed = mayTakePacked(door);
    if (packed === undefined) continue;
    const ready = await tryArguments(scene, packed);
    // It takes one if it does not take anything else.
    if ("choice" in ready && (await refusesGarbage(scene, ready))) scene.entryPoints.push(ready);
  }
  return untried;
}

async function makeReady(scene: Scene, entry: EntryPoint): Promise<Ready | { revert: string }> {
  const asItIs = await tryArguments(scene, entry);
  if ("choice" in asItIs) return asItIs;
  const { stage, target } = scene;
  const endow = async () => {
    await stage.fund(target.address, treasury);
    for (const token of scene.tokens) await deal(stage, token, target.address);
  };
  const { owner } = target;
  const opening = scene.others.flatMap((door) =>
    owner === undefined
      ? []
      : choices(door).map((choice) => async () => void (await scene.call(door, owner, choice))),
  );
  const waiting = [3_600, 24 * 3_600, 30 * 24 * 3_600].map((seconds) => () => stage.pass(seconds));
  for (const step of [endow, ...opening.slice(0, 60), ...waiting]) {
    const helps = await scene.fresh(async () => {
      await step();
      return "choice" in (await tryArguments(scene, entry));
    });
    if (!helps) continue;
    await step();
    // It belongs to whatever is shown afterwards.
    scene.keep();
    return tryArguments(scene, entry);
  }
  return asItIs;
}

/** Finds arguments with which an entry point accepts a valid verification. */
async function tryArguments(scene: Scene, entry: EntryPoint): Promise<Ready | { revert: string }> {
  const { first: wallet } = scene.wallets;
  const verification = await scene.mint({ wallet, identity: "alice" });
  let revert: string | undefined;
  const { address, registry } = scene.target;
  const named = {
    amounts: entry.payable ? await readAmounts(scene) : [],
    addresses: [registry, ...scene.tokens, address],
  };
  for (const choice of choices(entry, named)) {
    const ready = { ...entry, choice };
    const refusal = await scene.stage.refusalOf(
      await scene.callOf(ready, { wallet, identity: "alice", verification }),
    );
    if (refusal === undefined) return ready;
    revert ??= refusal;
  }
  return { revert: revert ?? "0x" };
}

async function refusesGarbage(scene: Scene, entry: Ready): Promise<boolean> {
  const { first: wallet } = scene.wallets;
  const verification = await scene.mint({ wallet, identity: "alice", mint: { flaw: "wrongSigner" } });
  const call = await scene.callOf(entry, { wallet, identity: "alice", verification });
  return (await scene.stage.refusalOf(call)) !== undefined;
}

/** The getters without arguments that answer one word of a type. */
const gettersOf = (scene: Scene, type: string) =>
  scene.target.abi.flatMap((item) => {
    if (item.type !== "function" || !/^(view|pure)$/.test(item.stateMutability ?? "")) return [];
    const { name, inputs, outputs } = FunctionFragment.from(item);
    return inputs.length === 0 && outputs.length === 1 && outputs[0]?.type === type ? [`${name}()`] : [];
  });

/** Reads the amounts that a contract names, such as its price. */
async function readAmounts(scene: Scene): Promise<bigint[]> {
  const answers = await Promise.all(gettersOf(scene, "uint256").map((getter) => scene.ask(getter)));
  return answers.flatMap((answer) => {
    const amount = BigInt(answer ?? 0);
    return amount > 1n && amount < 10n ** 21n ? [amount] : [];
  });
}

/** Finds the tokens that a contract names and that it could take. */
async function findTokens(scene: Scene): Promise<string[]> {
  const answers = await Promise.all(gettersOf(scene, "address").map((getter) => scene.ask(getter)));
  const named = answers.map(readAddress).filter((address) => address !== undefined);
  const tokens: string[] = [];
  for (const address of new Set(named)) {
    const isToken = await scene.fresh(() => deal(scene.stage, address, scene.wallets.first));
    if (address !== scene.target.address && isToken) tokens.push(address);
  }
  return tokens;
}
