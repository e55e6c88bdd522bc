import { firstOf, short } from "../attack.ts";
import { accepted, callersOf, onDoors } from "../doors.ts";
import type { Door } from "../functions.ts";
import type { Choice } from "../invent.ts";
import type { Ready, Scene } from "../scene.ts";
import { month } from "../stage.ts";
import { roundsOf } from "./counting.ts";

/** Finds a function after which a counted identity counts again, at once or later. */
export const freeing = onDoors("identity freed by another function", free, (scene, entry) =>
  free(scene, entry, month),
);

async function free(scene: Scene, entry: Ready, seconds = 0) {
  const { first, second } = scene.wallets;
  const gains = await scene.gains(entry, second);
  const counted = await scene.claim(entry);
  if (seconds > 0) await scene.stage.pass(seconds);
  const again = { wallet: second };
  if (gains.size === 0) return undefined;
  const { identityHash: word } = await scene.mint();
  const frees = async (door: Door, caller: string, choice: Choice) => {
    const byItself = await scene.branch(() => scene.claim(entry, again));
    // If time, or the move that opened the function, already frees it, the call is not the cause.
    if (scene.isAdmitted(byItself, gains)) return undefined;
    await scene.call(door, caller, choice);
    const outcome = await scene.claim(entry, again);
    if (!scene.isAdmitted(outcome, gains)) return undefined;
    const isOwner = caller === scene.target.owner;
    // Its owner may begin a new round for everybody.
    if (isOwner && roundsOf(outcome) !== roundsOf(counted)) return undefined;
    const by = isOwner ? "its owner calls" : "somebody calls";
    const message = `After ${by} ${short(door)}, a person whom ${short(entry)} has counted counts again with another wallet: keep the identity used.`;
    return scene.found(message);
  };
  return async (door: Door) => {
    const touching = await scene.about(entry, again, scene.stage.placesOf);
    // A person who has lost a wallet moves to another one.
    const addresses = [first, second];
    return firstOf(callersOf(scene, first), async (caller) =>
      firstOf(await accepted(scene, door, caller, { addresses, word, touching }), ({ choice }) =>
        scene.branch(() => frees(door, caller, choice)),
      ),
    );
  };
}
