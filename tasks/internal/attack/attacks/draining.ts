// Does a function pay its caller twice, if the caller calls back?
import { type ContractAttack, type Found, firstOf, found, short } from "../attack.ts";
import { tryDoors } from "../doors.ts";
import type { Door } from "../functions.ts";
import { type Choice, choices } from "../invent.ts";
import type { Ready, Scene } from "../scene.ts";

/** Calls a function as a verified contract, once with and once without a call back, and compares what it has then. */
export const draining: ContractAttack = {
  name: "paid twice by calling back",
  run: (scene) =>
    tryDoors(scene, (door) =>
      firstOf(scene.entryPoints, (entry) => scene.fresh(() => drain(scene, entry, door))),
    ),
};

async function drain(scene: Scene, entry: Ready, door: Door): Promise<Found | undefined> {
  const { first, second } = scene.wallets;
  // What others have paid is there to be taken.
  await scene.claim(entry, { wallet: second, identity: "bob" });
  const { intruder } = await scene.intrude();
  const claim = await scene.callOf(entry, { wallet: intruder, identity: "alice" });
  if (!("done" in (await scene.through(intruder, first, claim)))) return undefined;
  await scene.open(door);
  const claimed = await wealth(scene, intruder);
  for (const choice of choices(door).slice(0, 8)) {
    const once = await scene.branch(() => callAs(scene, intruder, door, choice, ""));
    if (once === undefined || once.every((amount, i) => amount <= (claimed[i] ?? 0n))) continue;
    const shown = await scene.branch(async () => {
      const twice = await callAs(scene, intruder, door, choice, "again");
      if (twice === undefined || twice.every((amount, i) => amount <= (once[i] ?? 0n))) return undefined;
      return found(
        scene,
        `${short(door)} pays more to a contract that calls it again while it is paid: write down what was paid before you pay.`,
        door.name,
      );
    });
    if (shown !== undefined) return shown;
  }
  return undefined;
}

/** Calls a function through the intruder; answers what that has then, or `undefined` if it failed. */
async function callAs(scene: Scene, intruder: string, door: Door, choice: Choice, again: "" | "again") {
  const call = scene.callOther(door, intruder, choice);
  const outcome = await scene.through(intruder, scene.wallets.first, call, again ? call.data : "0x");
  return "done" in outcome ? wealth(scene, intruder) : undefined;
}

/** What a contract has: ether, and of each token. */
async function wealth(scene: Scene, wallet: string): Promise<bigint[]> {
  const { node } = scene.stage;
  const ether = BigInt(String(await node.request({ method: "eth_getBalance", params: [wallet, "latest"] })));
  return [ether, ...(await Promise.all(scene.tokens.map((token) => scene.balance(token, wallet))))];
}
