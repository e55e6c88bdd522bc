// Does another function change whom the contract admits, or how much it gives?
import type { Edit } from "../../calldata.ts";
import type { Effect } from "../../effect.ts";
import { type Door, short } from "../../functions.ts";
import { isAdmitted, paysTo } from "../../gains.ts";
import { findWay, type Verdict, verdictOf } from "../../judge.ts";
import { type Attempt, callDoor, findWays } from "../../openings.ts";
import type { Scene } from "../../scene.ts";
import { readAddress } from "../../stage.ts";
import { askings, explainChange, listen } from "../policy.ts";
import { aboutClaim, ask, show } from "./show.ts";

/** Lets the owner and a stranger try to change whom the contract admits, or who says so. */
export async function rule(scene: Scene): Promise<Attempt | undefined> {
  const { stranger } = scene.wallets;
  const said = await Promise.all(askings(scene).map((call) => scene.stage.placesOf(call)));
  const touching = new Set(
    [...said, await aboutClaim(scene, scene.wallets.first)].flatMap((each) => [...each]),
  );
  const way = await findWay(scene, {});
  const isBelieved = async (edit: Edit | undefined, gains: Effect) =>
    isAdmitted(await scene.play({ sender: stranger, edit }), gains);
  // The claim may call its sender by itself.
  const isAnybody = "gains" in way && (await scene.branch(() => isBelieved(way.edit, way.gains)));
  return async function* (door) {
    for (const caller of ask(scene)) {
      const when = `when ${caller === scene.target.owner ? "its owner calls" : "anybody calls"} ${short(door)}`;
      for (const address of [caller, scene.rogueRegistry]) {
        const ways = await findWays(scene, door, caller, { addresses: [address], touching });
        yield* show(scene, ways, async ({ choice }) => {
          const before = await listen(scene);
          if (!("done" in (await callDoor(scene, door, caller, choice)))) return undefined;
          const now = await listen(scene);
          const message = explainChange(before, now, when);
          if (message !== undefined) return message;
          const isTaken = before.owner !== now.owner && readAddress(now.owner) === stranger;
          if (caller === stranger && isTaken) {
            return `Anybody becomes the owner by ${short(door)}, and rules as the owner does: let it run once, or for the owner only.`;
          }
          if ("refusal" in way) return undefined;
          if (caller === stranger && address === stranger) {
            const paid = await scene.branch(() => scene.play({ edit: way.edit }));
            if (!paysTo(stranger, way.done, way) && paysTo(stranger, way.done, paid)) {
              await scene.play({ edit: way.edit });
              return `Anybody gets by ${short(door)} what claims pay: let only the owner say who is paid.`;
            }
          }
          if (caller === stranger && scene.sender !== undefined && !isAnybody) {
            if (await isBelieved(way.edit, way.gains)) {
              return `Anybody becomes the caller whom ${scene.short} trusts, by ${short(door)}: let it run once, or for the owner only.`;
            }
          }
          if (address !== scene.rogueRegistry) return undefined;
          const forged = await scene.play({ mint: scene.rogueMint, edit: way.edit });
          if (!isAdmitted(forged, way.gains)) return undefined;
          return `W${when.slice(1)}, another registry decides whom ${scene.short} admits: keep the registry in an immutable.`;
        });
      }
      yield* lower(scene, door, caller, when);
    }
    yield* dictate(scene, door, way);
  };
}

/** Lets a stranger say how much claims give. */
async function* dictate(
  scene: Scene,
  door: Door,
  way: Awaited<ReturnType<typeof findWay>>,
): AsyncIterable<Verdict> {
  if (!/int\d/.test(door.name) || "refusal" in way) return;
  const { stranger } = scene.wallets;
  const obeyed: string[] = [];
  for (const number of [70_001n, 90_001n]) {
    const marks = await scene.branch(async () => {
      const choice = { number, items: 1, value: 0n, given: {} } as const;
      if (!("done" in (await callDoor(scene, door, stranger, choice)))) return [];
      const outcome = await scene.play({ edit: way.edit });
      const amounts = "done" in outcome ? [...outcome.done.amounts] : [];
      return amounts.flatMap(([mark, amount]) =>
        mark.startsWith("slot ") && amount === number && way.gains.has(mark) ? [mark] : [],
      );
    });
    obeyed.push(marks.join());
  }
  const [one, other] = obeyed;
  if (one === "" || one !== other) return;
  yield await verdictOf(scene, async () => {
    await callDoor(scene, door, stranger, { number: 90_001n, items: 1, value: 0n, given: {} });
    await scene.play({ edit: way.edit });
    return `Anybody says by ${short(door)} how much ${scene.short} gives: let only its owner say that.`;
  });
}

/** Raises a cutoff and then lowers it, if a function does that. */
async function* lower(scene: Scene, door: Door, caller: string, when: string): AsyncIterable<Verdict> {
  if (!/int\d/.test(door.name)) return;
  const [message, transactions] = await scene.branch(async () => {
    let before = await listen(scene);
    for (const number of [10n ** 6n, 5n, 0n]) {
      await callDoor(scene, door, caller, { number, items: 1, value: 0n, given: {} });
      const after = await listen(scene);
      const change = explainChange(before, after, when);
      if (change !== undefined) return [change, scene.found(change)] as const;
      before = after;
    }
    return [];
  });
  if (message !== undefined && transactions !== undefined) yield { found: transactions };
}
