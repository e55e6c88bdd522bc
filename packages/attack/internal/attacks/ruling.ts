import { type ContractAttack, firstOf, short } from "../attack.ts";
import { accepted, callersOf, tryDoors } from "../doors.ts";
import type { Places } from "../effect.ts";
import type { Door } from "../functions.ts";
import type { Choice } from "../invent.ts";
import { type Found, type Ready, readAddress, type Scene } from "../scene.ts";
import { askings, explainChange, listen } from "./policy.ts";

/** Finds a function that changes whom the contract admits, or who says so. */
export const ruling: ContractAttack = {
  name: "policy or registry that changes",
  run: (scene) => tryDoors(scene, [async () => (door) => change(scene, door)]),
};

async function change(scene: Scene, door: Door): Promise<Found | undefined> {
  const touching = await placesOfRule(scene);
  return firstOf(callersOf(scene), (caller) =>
    firstOf([caller, scene.rogueRegistry], async (address) => {
      const ways = await accepted(scene, door, caller, { addresses: [address], touching });
      const act = { door, caller, address };
      const shown = await firstOf(ways, ({ choice }) => scene.branch(() => rule(scene, act, choice)));
      return shown ?? (ways.length > 0 ? lower(scene, act) : undefined);
    }),
  );
}

/** On what parts of the state it depends whom the contract admits. */
async function placesOfRule(scene: Scene): Promise<Places> {
  const { first } = scene.wallets;
  const said = await Promise.all(askings(scene).map((call) => scene.stage.placesOf(call)));
  for (const entry of scene.entryPoints) {
    said.push(await scene.about(entry, { wallet: first }, scene.stage.placesOf));
  }
  return new Set(said.flatMap((each) => [...each]));
}

/** A call of a function by somebody, which may change the rules. */
interface Act {
  readonly door: Door;
  readonly caller: string;
  readonly address: string;
}

const whenOf = (scene: Scene, { door, caller }: Act) =>
  `${caller === scene.target.owner ? "its owner calls" : "anybody calls"} ${short(door)}`;

async function rule(scene: Scene, act: Act, choice: Choice): Promise<Found | undefined> {
  const { door, caller, address } = act;
  const { stranger } = scene.wallets;
  const before = await listen(scene);
  const outcome = await scene.call(door, caller, choice);
  if (!("done" in outcome)) return undefined;
  const when = whenOf(scene, act);
  const now = await listen(scene);
  const message = explainChange(before, now, `when ${when}`);
  if (message !== undefined) return scene.found(message);
  const isTaken = before.owner !== now.owner && readAddress(now.owner) === stranger;
  if (caller === stranger && isTaken) {
    return scene.found(
      `Anybody becomes the owner by ${short(door)}, and rules as the owner does: let it run once, or for the owner only.`,
    );
  }
  if (address !== scene.rogueRegistry) return undefined;
  return firstOf(scene.entryPoints, (entry) => forge(scene, entry, when));
}

/** Claims with a verification that only the rogue registry accepts. */
async function forge(scene: Scene, entry: Ready, when: string): Promise<Found | undefined> {
  // An entry point that admits anything does so with any registry.
  if (scene.unguarded.has(entry)) return undefined;
  return scene.branch(async () => {
    const forged = await scene.claim(entry, { mint: scene.rogueMint });
    if (!scene.isAdmitted(forged, await scene.gains(entry))) return undefined;
    return scene.found(
      `When ${when}, another registry decides whom ${short(entry)} admits: keep the registry in an immutable.`,
    );
  });
}

/** Raises a cutoff and then lowers it, if a function does that. */
async function lower(scene: Scene, act: Act): Promise<Found | undefined> {
  const { door, caller } = act;
  return scene.branch(async () => {
    let before = await listen(scene);
    for (const number of [10n ** 6n, 5n, 0n]) {
      await scene.call(door, caller, { number, items: 1, value: 0n });
      const after = await listen(scene);
      const message = explainChange(before, after, `when ${whenOf(scene, act)}`);
      if (message !== undefined) return scene.found(message);
      before = after;
    }
    return undefined;
  });
}
